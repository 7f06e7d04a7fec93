// postman_arrival_buffer: keeps a packet that has arrived until the operator's side has read it (R13).
//
//   flit --> memory [arrived_flits] --> [read_flit] --> read_data, one clock later
//                occupied from `take` to `taken`; arrived from `last` to `taken`
// SPDX-License-Identifier: ISC
`default_nettype none

module postman_arrival_buffer #(
    parameter FLIT       = 8,  // bits of a flit, without its header bit
    parameter DEPTH_LOG2 = 5   // the longest packet has 2**DEPTH_LOG2 flits
) (
    input  wire                  clk,
    input  wire                  reset,
    input  wire                  advance,   // bits move

    // Machine: `take` begins a packet (only while `free`), `write` stores `flit` if there is no `overflow`, `last` ends it.
    output wire                  free,
    input  wire                  take,
    input  wire                  write,
    input  wire [FLIT-1:0]       flit,
    input  wire                  last,
    output wire                  overflow,

    // Reader: from `arrived` on until `taken` the flits 0 to arrived_flits-1 can be read, one clock after the address. A bad
    // packet was longer than the buffer.
    output reg                   arrived,
    output reg                   arrived_bad,
    output reg  [DEPTH_LOG2:0]   arrived_flits,
    input  wire [DEPTH_LOG2-1:0] read_flit,
    output reg  [FLIT-1:0]       read_data,
    input  wire                  taken,

    output wire                  occupied_next  // occupied, as of the next clock
);
    (* no_rw_check *)   // it is read when the packet is complete
    reg [FLIT-1:0] memory [0:(1<<DEPTH_LOG2)-1];
    reg occupied;

    wire takes  = advance && take;
    wire stores = advance && write && !overflow;

    assign free          = !occupied;
    assign overflow      = arrived_flits[DEPTH_LOG2];
    assign occupied_next = (occupied && !(arrived && taken)) || takes;

    always @(posedge clk)
        if (reset) begin
            {occupied, arrived, arrived_bad} <= 3'd0;
            arrived_flits <= {(DEPTH_LOG2+1){1'b0}};
        end else begin
            occupied <= occupied_next;
            arrived  <= (arrived && !taken) || (advance && last);
            if (advance && last) arrived_bad <= overflow;
            if (takes) arrived_flits <= {(DEPTH_LOG2+1){1'b0}};
            else if (stores) arrived_flits <= arrived_flits + 1'b1;
        end

    always @(posedge clk) begin
        if (stores) memory[arrived_flits[DEPTH_LOG2-1:0]] <= flit;
        read_data <= memory[read_flit];
    end
endmodule

`default_nettype wire
