// postman_arrival_buffer between a machine (postman_store_contract) and a reader that reads and takes whenever it likes. One flit
// of a packet, any, is watched: once the packet has arrived it is read with its bits, in its place, until the packet is taken.
// SPDX-License-Identifier: ISC
`default_nettype none

module postman_arrival_buffer_proof #(
    parameter FLIT       = 2,
    parameter DEPTH_LOG2 = 2
) (
    input wire                  clk,
    input wire                  any_reset,
    input wire                  advance,
    input wire                  machine_idle, take, write, last,
    input wire [FLIT-1:0]       flit,
    input wire [DEPTH_LOG2-1:0] read_flit,
    input wire                  taken,
    input wire                  watch
);
    localparam [DEPTH_LOG2:0] LONGEST = 1 << DEPTH_LOG2;

    reg  started = 1'b0;
    wire reset = !started || any_reset;
    always @(posedge clk) started <= 1'b1;

    wire free, overflow, arrived, arrived_bad, occupied_next;
    wire [DEPTH_LOG2:0] arrived_flits;
    wire [FLIT-1:0] read_data;
    postman_arrival_buffer #(.FLIT(FLIT), .DEPTH_LOG2(DEPTH_LOG2)) buffer (
        .clk(clk), .reset(reset), .advance(advance), .free(free), .take(take), .write(write), .flit(flit), .last(last),
        .overflow(overflow), .arrived(arrived), .arrived_bad(arrived_bad), .arrived_flits(arrived_flits), .read_flit(read_flit),
        .read_data(read_data), .taken(taken), .occupied_next(occupied_next));

    postman_store_contract #(.FLIT(FLIT), .ASSUME(1)) machine (
        .clk(clk), .reset(reset), .advance(advance), .machine_idle(machine_idle), .free(free), .take(take), .leading(1'b0),
        .two(1'b0), .write(write), .last(last), .overflow(overflow));

    // The packet that comes, or has come, and the flit of it that is watched.
    reg                  comes, has_come, cut;
    reg [DEPTH_LOG2:0]   flits;
    reg                  watching;
    reg [DEPTH_LOG2-1:0] watched;
    reg [FLIT-1:0]       value;
    wire takes  = advance && take;
    wire comes_to_end = advance && last;
    wire leaves = has_come && taken;
    wire stores = advance && write && flits != LONGEST;
    wire chosen = watch && !watching && stores;

    reg                  was_read;  // the watched flit, in the clock before
    always @(posedge clk)
        if (reset) {comes, has_come, watching, was_read} <= 4'd0;
        else begin
            comes    <= takes || (comes && !comes_to_end);
            has_come <= comes_to_end || (has_come && !leaves);
            if (comes_to_end) cut <= flits == LONGEST;
            flits    <= takes ? {(DEPTH_LOG2+1){1'b0}} : flits + {{DEPTH_LOG2{1'b0}}, stores};
            watching <= chosen || (watching && !leaves);
            if (chosen) {watched, value} <= {flits[DEPTH_LOG2-1:0], flit};
            was_read <= watching && has_come && read_flit == watched;
        end

    always @(posedge clk)
        if (started && !reset) begin
            // One packet at a time, from its beginning until it is taken. busy (R11) rests on occupied_next.
            assert (free == !(comes || has_come));
            assert (occupied_next == (takes || comes || (has_come && !taken)));
            assert (arrived == has_come);
            // Its length; one that is too long is cut, and shown as bad.
            if (comes || has_come) assert (arrived_flits == flits && overflow == (flits == LONGEST));
            if (has_come) assert (arrived_bad == cut && flits != 0);
            // Its flits.
            if (watching) assert ({1'b0, watched} < flits);
            if (was_read) assert (read_data == value);
            cover (was_read && flits == LONGEST && cut && watched == LONGEST - 1'b1);
            cover (has_come && flits == LONGEST && !cut);
            cover (leaves && flits == 1 && was_read);
        end
endmodule

`default_nettype wire
