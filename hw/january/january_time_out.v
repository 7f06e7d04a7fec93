// january_time_out: the time-out of the fifo_buffer towards the operator (January paper 4.1, note 8, and 4.4; rules J4, J9, J10).
//
//   clocks in which the split packet stands --> count --limit--> abort_request
//
// The random part of the limit keeps packets that wait for each other from aborting in step. Its sequence goes on while the site
// has a connection that does not stand. A packet stands behind the storage of a net_input (J5) at the earliest, and by then the
// sequence has left the small numbers of the seeds.
// SPDX-License-Identifier: ISC
`default_nettype none

module january_time_out (
    input  wire        clk,
    input  wire        reset,

    input  wire [13:0] seed,             // strap: differs from site to site
    input  wire [15:0] abort_threshold,  // a power of two

    input  wire        connected,        // the site has a connection: 0 while it is quiet, as a simulation leaves it out then
    input  wire        stands,           // the split packet sends the fifo_buffer a pad instead of a word
    output reg         abort_request
);
    // x^16 + x^14 + x^13 + x^11 + 1: all but 0 come by.
    reg  [15:0] random;
    wire [15:0] random_next = {random[0] ^ random[2] ^ random[3] ^ random[5], random[15:1]};

    reg  [15:0] count;
    wire [15:0] limit = abort_threshold + (random & (abort_threshold - 16'd1));

    always @(posedge clk)
        if (reset) begin
            random        <= {seed, 2'b01};
            count         <= 16'd0;
            abort_request <= 1'b0;
        end else begin
            if (connected && !stands) random <= random_next;
            count         <= stands ? count + 16'd1 : 16'd0;
            abort_request <= stands && count >= limit;
        end
endmodule

`default_nettype wire
