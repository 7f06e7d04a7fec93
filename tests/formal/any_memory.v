// any_memory: link_memory.v, but it keeps no more than what one link has there, which a proof watches: its state, its flags, its
// time up, and the tags of its queue. All else that is read may be anything: CRCs, words, the state of the other links. What is
// proved with this holds for all sums, and for any number of links.
// SPDX-License-Identifier: ISC
`default_nettype none

module link_memory (
    input  wire        clk,
    input  wire [6:0]  read_row,
    input  wire        read_beside,
    output reg  [15:0] left,
    output reg  [15:0] right,
    input  wire [6:0]  write_row,
    input  wire        write_beside,
    input  wire        write_left,
    input  wire [15:0] left_next,
    input  wire        write_high,
    input  wire        write_low,
    input  wire [15:0] right_next
);
    wire [1:0] watched;        // driven by the proof
    (* anyseq *) reg [31:0] drawn;

    reg [15:0] state;
    reg        lost;
    reg [7:0]  flags;
    reg [12:0] periods;        // of its time up, modulo the time in which a far end is given up
    reg [47:0] tags;

    wire reads  = read_row[1:0] == watched;
    wire writes = write_row[1:0] == watched;

    always @(posedge clk) begin
        {left, right} <= drawn;
        if (reads && read_row[6:2] == 5'd0) {left, right[0]} <= {state, lost};
        if (reads && read_row[6:2] == 5'd1) {left[7:0], right[12:0]} <= {flags, periods};
        if (reads && read_row[6]) left[7:5] <= tags[3*read_row[5:2] +: 3];
        if (writes && write_row[6:2] == 5'd0) begin
            if (write_left) state <= left_next;
            if (write_low && !write_beside) lost <= right_next[0];
        end
        if (writes && write_row[6:2] == 5'd1) begin
            if (write_left) flags <= left_next[7:0];
            if (write_high) periods <= right_next[12:0];
        end
        if (writes && write_row[6] && write_left) tags[3*write_row[5:2] +: 3] <= left_next[7:5];
    end
endmodule

`default_nettype wire
