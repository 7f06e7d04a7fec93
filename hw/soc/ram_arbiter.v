// One single-ported RAM for three masters: the core, the network_interface's receive side and its send side.
//
// Round-robin arbitration, one access per clock. The grant of the next clock is decided among the requests of this clock; the
// core has it by default. A core without contention therefore never waits. The other two masters announce a request one clock
// ahead (`soon`) or wait a clock. No master waits more than two clocks. The selects of address and data are flops, so that no
// master's path to RAM leads through the requests of the others.
// Cost: 3 flops, a 3:1 multiplexer as wide as an access.
// SPDX-License-Identifier: ISC
`default_nettype none

module ram_arbiter (
    input wire clk,
    input wire reset,

    // Masters: an access happens in a clock with req and gnt. A request may be withdrawn before its grant.
    // Read data is on the RAM's data output, which all masters share, in the clock after the grant only.
    // soon: a hint that a request is likely in the next clock.
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
    input wire         receive_soon,
    output wire        receive_gnt,

    input wire        send_req,
    input wire        send_we,
    input wire [31:2] send_addr,
    input wire [31:0] send_wdata,
    input wire [3:0]  send_sel,
    input wire         send_soon,
    output wire        send_gnt,

    // RAM: address, data and byte lanes of the access that is granted in this clock.
    output wire        ram_req,
    output wire        ram_we,
    output wire [31:2] ram_addr,
    output wire [31:0] ram_wdata,
    output wire [3:0]  ram_sel
);

    reg core_turn, receive_turn, send_turn;

    assign core_gnt = core_req && core_turn;
    assign receive_gnt = receive_req && receive_turn;
    assign send_gnt = send_req && send_turn;

    // The order of service is core, receive, send, core, ...
    wire receive_asks = receive_req || receive_soon;
    wire send_asks = send_req || send_soon;
    wire receive_next = receive_asks && (core_turn || !core_req && (send_turn || !send_asks));
    wire send_next = send_asks && (receive_turn || !receive_asks && (core_turn || !core_req));

    always @(posedge clk)
        if (reset)
            {core_turn, receive_turn, send_turn} <= 3'b100;
        else
            {core_turn, receive_turn, send_turn} <= {!receive_next && !send_next, receive_next, send_next};

    assign ram_req = core_gnt || receive_gnt || send_gnt;
    // Not in reset: before its first clock a core holds anything, and would damage the firmware that RAM starts with.
    assign ram_we = reset ? 1'b0 : core_turn ? core_we : receive_turn ? receive_we : send_we;
    assign ram_addr = core_turn ? core_addr : receive_turn ? receive_addr : send_addr;
    assign ram_wdata = core_turn ? core_wdata : receive_turn ? receive_wdata : send_wdata;
    assign ram_sel = core_turn ? core_sel : receive_turn ? receive_sel : send_sel;

`ifdef FORMAL
    // No master waits more than two clocks.
    reg [1:0] core_waits = 2'd0, receive_waits = 2'd0, send_waits = 2'd0;
    reg       past_valid = 1'b0;
    wire [66:0] access = {ram_we, ram_addr, ram_wdata, ram_sel};
    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (!past_valid) assume (reset);
        core_waits <= reset || !core_req || core_gnt ? 2'd0 : core_waits + 2'd1;
        receive_waits <= reset || !receive_req || receive_gnt ? 2'd0 : receive_waits + 2'd1;
        send_waits <= reset || !send_req || send_gnt ? 2'd0 : send_waits + 2'd1;
        if (past_valid && !reset) begin
            assert ({1'b0, core_turn} + {1'b0, receive_turn} + {1'b0, send_turn} == 2'd1);
            assert (core_waits <= 2'd2 && receive_waits <= 2'd2 && send_waits <= 2'd2);
            assert ({1'b0, core_gnt} + {1'b0, receive_gnt} + {1'b0, send_gnt} == {1'b0, ram_req});
            assert ((!core_gnt || core_req) && (!receive_gnt || receive_req) && (!send_gnt || send_req));
            // The RAM sees the access of the master that has the grant.
            if (core_gnt) assert (access == {core_we, core_addr, core_wdata, core_sel});
            if (receive_gnt) assert (access == {receive_we, receive_addr, receive_wdata, receive_sel});
            if (send_gnt) assert (access == {send_we, send_addr, send_wdata, send_sel});
        end
        if (past_valid && !reset && !$past(reset)) begin
            // A master with the only request gets the next turn. A core with the only request never waits.
            if ($past(!core_req && receive_asks && !send_asks)) assert (receive_turn);
            if ($past(!core_req && !receive_asks && send_asks)) assert (send_turn);
            if ($past(!receive_asks && !send_asks)) assert (core_turn);
        end
    end
`endif

endmodule

`default_nettype wire
