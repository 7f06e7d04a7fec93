// One single-ported RAM for three masters: the core, the network_interface's receive side and its send side.
//
// One access a clock, granted in the clock of its request (combinational), round robin: whoever was served last
// has the lowest rank, so nobody waits more than two clocks and two busy masters get every second clock each.
// Cost: 2 flops, a 3:1 multiplexer as wide as an access.
// SPDX-License-Identifier: ISC
`default_nettype none

module ram_arbiter (
    input wire clk,
    input wire reset,

    // Masters: an access happens in a clock with req and gnt. A request may be withdrawn before its grant.
    // What was read is on the RAM's data output, which all masters share, in the clock after the grant only.
    input wire        core_req,
    input wire        core_we,
    input wire [31:2] core_addr,
    input wire [31:0] core_wdata,
    input wire [3:0]  core_sel,
    output wire       core_gnt,

    input wire        receive_req,
    input wire        receive_we,
    input wire [31:2] receive_addr,
    input wire [31:0] receive_wdata,
    input wire [3:0]  receive_sel,
    output wire       receive_gnt,

    input wire        send_req,
    input wire        send_we,
    input wire [31:2] send_addr,
    input wire [31:0] send_wdata,
    input wire [3:0]  send_sel,
    output wire       send_gnt,

    // RAM: address, data and byte lanes of the access that is granted in this clock.
    output wire        ram_req,
    output wire        ram_we,
    output wire [31:2] ram_addr,
    output wire [31:0] ram_wdata,
    output wire [3:0]  ram_sel
);

    localparam [1:0] LAST_CORE    = 2'd0;
    localparam [1:0] LAST_RECEIVE = 2'd1;
    localparam [1:0] LAST_SEND    = 2'd2;

    reg [1:0] last;

    wire after_core = last == LAST_CORE;
    wire after_receive = last == LAST_RECEIVE;
    wire after_send = last == LAST_SEND;

    // The order of service is core, receive, send, core, ...; it starts behind the one served last.
    assign core_gnt = core_req && (after_send || (after_receive && !send_req) ||
                                   (after_core && !receive_req && !send_req));
    assign receive_gnt = receive_req && (after_core || (after_send && !core_req) ||
                                         (after_receive && !send_req && !core_req));
    assign send_gnt = send_req && (after_receive || (after_core && !receive_req) ||
                                   (after_send && !core_req && !receive_req));

    always @(posedge clk)
        if (reset)
            last <= LAST_SEND;
        else if (core_gnt)
            last <= LAST_CORE;
        else if (receive_gnt)
            last <= LAST_RECEIVE;
        else if (send_gnt)
            last <= LAST_SEND;

    assign ram_req = core_gnt || receive_gnt || send_gnt;
    assign ram_we = core_gnt ? core_we : receive_gnt ? receive_we : send_gnt && send_we;
    assign ram_addr = core_gnt ? core_addr : receive_gnt ? receive_addr : send_addr;
    assign ram_wdata = core_gnt ? core_wdata : receive_gnt ? receive_wdata : send_wdata;
    assign ram_sel = core_gnt ? core_sel : receive_gnt ? receive_sel : send_sel;

`ifdef FORMAL
    // Nobody waits more than two clocks.
    reg [1:0] core_waits = 2'd0, receive_waits = 2'd0, send_waits = 2'd0;
    reg       past_valid = 1'b0;
    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (!past_valid) assume (reset);
        core_waits <= reset || !core_req || core_gnt ? 2'd0 : core_waits + 2'd1;
        receive_waits <= reset || !receive_req || receive_gnt ? 2'd0 : receive_waits + 2'd1;
        send_waits <= reset || !send_req || send_gnt ? 2'd0 : send_waits + 2'd1;
        if (past_valid && !reset) begin
            assert (last != 2'd3);
            assert (core_waits <= 2'd2 && receive_waits <= 2'd2 && send_waits <= 2'd2);
            assert ({1'b0, core_gnt} + {1'b0, receive_gnt} + {1'b0, send_gnt} ==
                    {1'b0, core_req || receive_req || send_req});
        end
    end
`endif

endmodule

`default_nettype wire
