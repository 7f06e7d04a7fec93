// parameter_check: stops elaboration when the settings contradict hw/cutthrough/rules.md. It then instantiates a module that does
// not exist and that is named after the broken rule. Each generated mesh top has one instance. A hand-written top should have
// one as well: the fabric itself receives its thresholds as straps and cannot check them.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module parameter_check #(
    parameter WORD_WIDTH       = 16,            // as the fabric's
    parameter LINKS            = 4,
    parameter HYPERCUBE        = 0,
    parameter DOWNSTREAM_DEPTH = 32,
    parameter UPSTREAM_DEPTH   = 64,
    parameter TOPOLOGY         = 0,             // the straps, as numbers
    parameter SIZE_X           = 4,             // hypercube: dimensions
    parameter SIZE_Y           = 4,             // hypercube: 1
    parameter DIVERT_THRESHOLD = 16,            // 65535: never
    parameter RELIEF_LIMIT     = 64,            // 0: no relief
    parameter ABORT_THRESHOLD  = 8,
    parameter MAX_PACKET       = 64,            // target and data words of the longest packet
    parameter LINK_CLOCKS      = 0              // to be given: clocks of a word on the slowest link, 1 on one chip
) ();
    localparam NEVER       = 65535;
    localparam CUBE        = TOPOLOGY == `POSTROAD_TOPOLOGY_HYPERCUBE;
    localparam TORUS       = TOPOLOGY == `POSTROAD_TOPOLOGY_TORUS;
    localparam COORD_WIDTH = WORD_WIDTH == 32 ? `POSTROAD_SITE_COORD_WIDTH_32 : `POSTROAD_SITE_COORD_WIDTH_16;
    localparam LARGEST     = 1 << COORD_WIDTH;

    function power_of_two(input integer value);
        power_of_two = value > 0 && (value & (value - 1)) == 0;
    endfunction

    generate
        if (WORD_WIDTH != 16 && WORD_WIDTH != 32) begin : word_width
            word_width_must_be_16_or_32 refused ();
        end
        if (TOPOLOGY > 2) begin : topology
            topology_must_be_grid_torus_or_hypercube refused ();
        end
        if ((HYPERCUBE != 0) != CUBE) begin : kind
            hypercube_must_be_1_on_a_hypercube_and_0_elsewhere refused ();
        end
        if (LINKS != (CUBE ? SIZE_X : 4) || LINKS > 15) begin : links
            links_must_be_4_or_one_a_dimension_and_at_most_15 refused ();
        end
        if (!CUBE && (SIZE_X < 1 || SIZE_Y < 1 || SIZE_X > LARGEST || SIZE_Y > LARGEST)) begin : size
            size_must_fit_a_coordinate refused ();
        end
        if (CUBE && (SIZE_X < 1 || SIZE_X > `POSTROAD_SITE_DIMENSIONS_MAX || SIZE_Y != 1)) begin : dimensions
            hypercube_must_have_1_to_14_dimensions_and_size_y_1 refused ();
        end
        if (!power_of_two(DOWNSTREAM_DEPTH) || DOWNSTREAM_DEPTH < 4 || DOWNSTREAM_DEPTH > 1024 ||
            !power_of_two(UPSTREAM_DEPTH) || UPSTREAM_DEPTH < 4 || UPSTREAM_DEPTH > 1024) begin : depth
            buffer_depth_must_be_a_power_of_two_from_4_to_1024 refused ();
        end
        if (DIVERT_THRESHOLD != NEVER && DIVERT_THRESHOLD != 0 &&
            (!power_of_two(DIVERT_THRESHOLD) || DIVERT_THRESHOLD > 32768)) begin : divert
            divert_threshold_must_be_never_0_or_a_power_of_two refused ();
        end
        if (RELIEF_LIMIT != 0 && (!power_of_two(RELIEF_LIMIT) || RELIEF_LIMIT > 32768)) begin : relief
            relief_limit_must_be_0_or_a_power_of_two refused ();
        end
        if (RELIEF_LIMIT != 0 && DIVERT_THRESHOLD != NEVER && RELIEF_LIMIT < DIVERT_THRESHOLD) begin : relieved
            relief_limit_must_be_0_or_at_least_divert_threshold refused ();
        end
        if (!power_of_two(ABORT_THRESHOLD) || ABORT_THRESHOLD < 4 || ABORT_THRESHOLD > 32768) begin : abort
            abort_threshold_must_be_a_power_of_two_from_4_to_32768 refused ();
        end
        // Without diversion no order of dimensions prevents deadlock in a ring of more than 3 sites.
        if (DIVERT_THRESHOLD == NEVER && TORUS && (SIZE_X > 3 || SIZE_Y > 3)) begin : never
            never_divert_needs_no_ring refused ();
        end
        if (LINK_CLOCKS < 1) begin : link
            link_clocks_must_be_given_1_on_one_chip refused ();
        end
        // The time-out must not abort a branch that only waits for its link.
        if (ABORT_THRESHOLD <= LINK_CLOCKS) begin : slow_link
            abort_threshold_must_be_above_the_clocks_of_a_link refused ();
        end
        if (MAX_PACKET < 8 || MAX_PACKET > 4096) begin : packet
            max_packet_must_be_8_to_4096_words refused ();
        end
    endgenerate

endmodule

`default_nettype wire
