// postman_planes: the four virtual planes of one site of a grid (R16), and how they share its links (R18).
//
//   plane    0 (+X,+Y)   1 (-X,+Y)   2 (-X,-Y)   3 (+X,-Y)
//   X out    east        west        west        east
//   Y out    north       north       south       south
//
// A link has, per direction, a data bit for each of the two planes that leave by it and a busy bit for each of the two that
// arrive by it, the lower plane first:
//
//   link     bit 0, 1: data of    bit 2, 3: busy of       what it brings
//   east     planes 0, 3          planes 1, 2             data of 1, 2; busy of 0, 3
//   west     planes 1, 2          planes 0, 3             data of 0, 3; busy of 1, 2
//   north    planes 0, 1          planes 2, 3             data of 2, 3; busy of 0, 1
//   south    planes 2, 3          planes 0, 1             data of 0, 1; busy of 2, 3
//
// INTERLEAVE 2: the two planes of a link have its bit 0 in turn, a clock each (Figure 3), and bit 1 is 0. Planes 0 and 2 move in
// phase 0, planes 1 and 3 in phase 1, since no link has two of the same phase. All sites of a chip begin in phase 0. A reset does
// not change the phase, so that a site that is reset alone stays in step with its neighbours.
// SPDX-License-Identifier: ISC
`default_nettype none

module postman_planes #(
    parameter WORD_WIDTH = 16,  // bits of a word
    parameter INTERLEAVE = 1,   // virtual planes that share a data wire: 2 takes half the wires and twice the clocks
    parameter DEPTH_LOG2 = 9    // log2 of the flits of each transit and arrival buffer
) (
    input  wire                    clk,
    input  wire                    reset,

    // Straps.
    input  wire [6:0]              own_x,
    input  wire [6:0]              own_y,
    input  wire                    vct,
    input  wire                    adaptive_routing,
    input  wire                    adaptive_sourcing,

    // Links east, west, north, south at [4*l +: 4]. All are flops, or a choice of two by a flop.
    input  wire [15:0]             link_in,
    output wire [15:0]             link_out,
    output wire [15:0]             link_next,  // what link_out shows after the next edge; not for synthesis, where it is 0

    // Load (R12) and arrival (R13), machine 2*p is X of plane p, 2*p+1 is Y.
    input  wire [7:0]              load_request,
    output wire [7:0]              load_granted,
    input  wire [7:0]              load_write,
    input  wire [7:0]              load_flit,
    input  wire [7:0]              load_commit,
    input  wire                    load_two,
    output wire [7:0]              arrived,
    output wire [7:0]              arrived_bad,
    output wire [8*DEPTH_LOG2+7:0] arrived_flits,
    input  wire [DEPTH_LOG2-1:0]   read_flit,
    output wire [63:0]             read_data,
    input  wire [7:0]              arrival_taken,

    // One-clock pulses, of each machine.
    output wire [7:0]              event_dead,
    output wire [7:0]              event_adapt,
    output wire [7:0]              event_buffer,
    output wire [7:0]              event_drop,
    output wire [7:0]              event_stall,

    // As much as a word has left by this link.
    output wire [3:0]              event_word,

    output wire                    quiet
);
    // The machines of the two planes that leave by a link; those that leave by the opposite one arrive by it.
    function [2:0] lower_machine(input [1:0] link);
        case (link)
            2'd0: lower_machine = 3'd0;
            2'd1: lower_machine = 3'd2;
            2'd2: lower_machine = 3'd1;
            default: lower_machine = 3'd5;
        endcase
    endfunction
    function [2:0] upper_machine(input [1:0] link);
        case (link)
            2'd0: upper_machine = 3'd6;
            2'd1: upper_machine = 3'd4;
            2'd2: upper_machine = 3'd3;
            default: upper_machine = 3'd7;
        endcase
    endfunction

    wire [7:0] line_in, busy, line_out, line_out_busy, line_next, busy_next, turns, sources;
    wire [3:0] plane_quiet, moves;
    wire       phase;

    genvar p, l;
    generate
        for (p = 0; p < 4; p = p + 1) begin : plane
            localparam [1:0] PLANE = p;

            assign moves[p] = INTERLEAVE == 1 || phase == PLANE[0];
            postman_node #(.DEPTH_LOG2(DEPTH_LOG2)) node (
                .clk(clk), .reset(reset), .advance(moves[p]), .own_x(own_x), .own_y(own_y),
                .vct(vct), .adaptive_routing(adaptive_routing), .adaptive_sourcing(adaptive_sourcing),
                .line_in(line_in[2*p +: 2]), .busy(busy[2*p +: 2]), .line_out(line_out[2*p +: 2]),
                .line_out_busy(line_out_busy[2*p +: 2]),
                .line_next(line_next[2*p +: 2]), .busy_next(busy_next[2*p +: 2]),
                .load_request(load_request[2*p +: 2]), .load_granted(load_granted[2*p +: 2]),
                .load_write(load_write[2*p +: 2]), .load_flit(load_flit), .load_commit(load_commit[2*p +: 2]),
                .load_across(1'b0), .load_two(load_two),
                .arrived(arrived[2*p +: 2]), .arrived_bad(arrived_bad[2*p +: 2]),
                .arrived_flits(arrived_flits[2*(DEPTH_LOG2+1)*p +: 2*(DEPTH_LOG2+1)]),
                .read_flit(read_flit), .read_data(read_data[16*p +: 16]), .arrival_taken(arrival_taken[2*p +: 2]),
                .event_dead(event_dead[2*p +: 2]), .event_turn(turns[2*p +: 2]), .event_adapt(event_adapt[2*p +: 2]),
                .event_buffer(event_buffer[2*p +: 2]), .event_source(sources[2*p +: 2]),
                .event_drop(event_drop[2*p +: 2]), .event_stall(event_stall[2*p +: 2]), .quiet(plane_quiet[p]));
        end

        for (l = 0; l < 4; l = l + 1) begin : link
            localparam [1:0] LINK = l, BACK = LINK ^ 2'd1;
            localparam [2:0] LOWER_OUT = lower_machine(LINK), UPPER_OUT = upper_machine(LINK);
            localparam [2:0] LOWER_IN  = lower_machine(BACK), UPPER_IN  = upper_machine(BACK);

            assign line_out_busy[LOWER_OUT] = link_in[4*l + 2];
            assign line_out_busy[UPPER_OUT] = link_in[4*l + 3];
            assign link_out[4*l + 2 +: 2]   = {busy[UPPER_IN], busy[LOWER_IN]};
            assign link_next[4*l + 2 +: 2]  = {busy_next[UPPER_IN], busy_next[LOWER_IN]};
            assign line_in[LOWER_IN]        = link_in[4*l];

            postman_link_words #(.WORD_WIDTH(WORD_WIDTH)) words (
                .clk(clk), .reset(reset), .moves({moves[UPPER_OUT[2:1]], moves[LOWER_OUT[2:1]]}),
                .line({line_out[UPPER_OUT], line_out[LOWER_OUT]}), .event_word(event_word[l]));

            if (INTERLEAVE == 1) begin : own_wires
                assign line_in[UPPER_IN]     = link_in[4*l + 1];
                assign link_out[4*l +: 2]    = {line_out[UPPER_OUT], line_out[LOWER_OUT]};
                assign link_next[4*l +: 2]   = {line_next[UPPER_OUT], line_next[LOWER_OUT]};
            end else begin : shared_wire
                // Bit 1 of a machine's number is bit 0 of its plane's, and so the phase in which the plane moves.
                assign line_in[UPPER_IN]     = link_in[4*l];
                assign link_out[4*l +: 2]    = {1'b0, phase == LOWER_OUT[1] ? line_out[LOWER_OUT] : line_out[UPPER_OUT]};
                assign link_next[4*l +: 2]   = {1'b0, phase == LOWER_OUT[1] ? line_next[UPPER_OUT] : line_next[LOWER_OUT]};
            end
        end

        if (INTERLEAVE == 1) begin : no_phase
            assign phase = 1'b0;
        end else begin : phases
            reg now = 1'b0;

            assign phase = now;
            always @(posedge clk) now <= !now;
        end
    endgenerate

    assign quiet = &plane_quiet;

    wire unused = &{1'b0, turns, sources, phase, link_in};
endmodule

`default_nettype wire
