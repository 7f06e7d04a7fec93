// fabric_seeds_tb: no two neighbours of any topology have the same seed, so that they do not time out in step (M6).
// SPDX-License-Identifier: ISC
`default_nettype none

module fabric_seeds_tb;
    `include "bench.vh"

    reg  [23:0] address;
    wire [14:0] seed_16 = narrow.seed, seed_32 = wide.seed;

    fabric #(.WORD_WIDTH(16), .LINKS(1)) narrow (
        .clk(1'b0), .reset(1'b1), .site_address({address[18:12], address[6:0]}), .topology(2'd0), .size_x(7'd0), .size_y(7'd0),
        .unicast_lists(8'd0), .multicast_lists(8'd0), .divert_threshold(16'd0), .abort_threshold(16'd0), .abort_random(16'd0),
        .release_single(1'b0), .relief_limit(16'd0), .relief(1'b0), .link_down(1'b0), .link_in(19'd0), .link_in_wait(),
        .link_out(), .link_out_wait(1'b0), .send(19'd0), .send_wait(), .receive(), .receive_wait(1'b0), .event_word_out(),
        .event_stall(), .event_drop(), .event_divert(), .event_abort(), .event_split(), .event_pass(), .event_single(),
        .connections(), .quiet());
    fabric #(.WORD_WIDTH(32), .LINKS(1)) wide (
        .clk(1'b0), .reset(1'b1), .site_address(address), .topology(2'd0), .size_x(12'd0), .size_y(12'd0), .unicast_lists(8'd0),
        .multicast_lists(8'd0), .divert_threshold(16'd0), .abort_threshold(16'd0), .abort_random(16'd0), .release_single(1'b0),
        .relief_limit(16'd0), .relief(1'b0), .link_down(1'b0), .link_in(35'd0), .link_in_wait(), .link_out(),
        .link_out_wait(1'b0), .send(35'd0), .send_wait(), .receive(), .receive_wait(1'b0), .event_word_out(), .event_stall(),
        .event_drop(), .event_divert(), .event_abort(), .event_split(), .event_pass(), .event_single(), .connections(), .quiet());

    reg [23:0] here;
    reg [14:0] seed_16_here, seed_32_here;

    // `narrow` has seven bits of each coordinate: those neighbours that it can tell from this site.
    task differs_from(input [23:0] neighbour, input in_narrow, input [8*100-1:0] name);
        begin
            address = neighbour;
            #1;
            check(seed_32 != seed_32_here, name);
            if (in_narrow) check(seed_16 != seed_16_here, name);
        end
    endtask

    integer n, d;
    reg [11:0] x, y, last;
    initial begin
        begin_bench;
        for (n = 0; n < 2000; n = n + 1) begin
            here = {$random(seed)};
            address = here;
            #1 seed_16_here = seed_16;
            seed_32_here = seed_32;
            for (d = 0; d < 14; d = d + 1)
                differs_from(here ^ (24'd1 << d), d < 7 || d > 11, "M6: neighbours in a hypercube have different seeds");
            {y, x} = here;
            last = 1 << below(12);
            differs_from({y, x ^ last}, last < 128, "M6: neighbours in a row have different seeds");
            differs_from({y, x + 12'd1}, 1'b1, "M6: neighbours in a row have different seeds");
            if (x[6:0] != 7'd0) differs_from({y, 12'd0}, 1'b1, "M6: neighbours round a ring have different seeds");
            differs_from({y ^ last, x}, last < 128, "M6: neighbours in a column have different seeds");
            differs_from({y + 12'd1, x}, 1'b1, "M6: neighbours in a column have different seeds");
        end
        verdict;
    end
endmodule

`default_nettype wire
