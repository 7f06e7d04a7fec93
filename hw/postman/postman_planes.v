// postman_planes: the virtual planes of one site, four on a grid, eight on a torus (R16, R17), and how they share links (R18).
//
//   plane    0 (+X,+Y)   1 (-X,+Y)   2 (-X,-Y)   3 (+X,-Y)    in layer 0, and the same as 4 to 7 in layer 1
//   X out    east        west        west        east
//   Y out    north       north       south       south
//
// A link has, per direction, a data bit for each of the two planes of a layer that leave by it and, above those of all layers, a
// busy bit for each of the two that arrive by it, the lower plane first. Of a layer:
//
//   link     data of         busy of         what it brings
//   east     planes 0, 3     planes 1, 2     data of 1, 2; busy of 0, 3
//   west     planes 1, 2     planes 0, 3     data of 0, 3; busy of 1, 2
//   north    planes 0, 1     planes 2, 3     data of 2, 3; busy of 0, 1
//   south    planes 2, 3     planes 0, 1     data of 0, 1; busy of 2, 3
//
// A wire belongs to the layer that it leads to: postman_cut.v takes a line of layer 0 over the cut to the wire of layer 1.
//
// INTERLEAVE: planes have the data wires of a link in turn, a clock each (Figure 3). A wire shows the line of the plane that
// moves in this clock, or 0.
//
//   INTERLEAVE    grid: plane p moves in phase    torus: in phase                      data wires of a link
//   2             p % 2                           p % 2                                one a layer
//   4             p                               p % 2 + 2 * layer                    one
//   8                                             p % 2 + 2 * layer + 4 * (p / 2)      one
//
// No wire has two lines of the same phase. A line over the cut leaves in a phase of layer 0, and is held until the site behind it
// takes it over in one of layer 1. All sites of a chip begin in phase 0. A reset does not change the phase, so that a site that
// is reset alone stays in step with its neighbours.
//
// PHASES: a bit crosses so many sites in a clock (phases.md). Lines east and north wait at sites whose coordinate is the last of
// PHASES, lines west and south where it is the first, so that those of both directions wait between the same sites.
//
// SHARED_WIRE: data and busy of a line have one wire (shared_wire.md). A bit of a link is what this end drives on a wire, and 0
// while it drives nothing; the wire shows it, or what the other end drives.
// SPDX-License-Identifier: ISC
`default_nettype none

module postman_planes #(
    parameter WORD_WIDTH = 16,  // bits of a word
    parameter LAYERS     = 1,   // of planes: 1 on a grid, 2 on a torus
    parameter INTERLEAVE = 1,   // clocks in which each plane moves once: more take fewer wires
    parameter DEPTH_LOG2 = 9,   // log2 of the flits of each transit and arrival buffer
    parameter PRIORITY   = 0,   // these two are those of postman_node.v
    parameter LATE_PASS  = 0,
    parameter PHASES     = 1,   // sites that a bit crosses in a clock: 1, 2, 4 or 8
    parameter SHARED_WIRE = 0,  // 1: one wire for data and busy of a line
    parameter MACHINES   = 8 * LAYERS,  // these two are not to be set
    parameter LINK_WIDTH = 4 * LAYERS
) (
    input  wire                    clk,
    input  wire                    reset,

    // Straps.
    input  wire [6:0]              own_x,
    input  wire [6:0]              own_y,
    input  wire                    vct,
    input  wire                    adaptive_routing,
    input  wire                    adaptive_sourcing,
    input  wire [7:0]              cut,  // with two layers: of each machine of a layer, whether its line crosses the cut

    // Links east, west, north, south at [LINK_WIDTH*l +: LINK_WIDTH]. All are flops, or a choice of two by a flop or a strap.
    input  wire [4*LINK_WIDTH-1:0] link_in,
    output wire [4*LINK_WIDTH-1:0] link_out,
    output wire [4*LINK_WIDTH-1:0] link_next,  // what link_out shows after the next edge; not for synthesis, where it is 0

    // Load (R12), into layer 0 only, and arrival (R13): machine 2*p is X of plane p, 2*p+1 is Y.
    input  wire [7:0]              load_request,
    output wire [7:0]              load_granted,
    input  wire [7:0]              load_write,
    input  wire [7:0]              load_flit,
    input  wire [7:0]              load_commit,
    input  wire                    load_two,
    output wire [MACHINES-1:0]     arrived,
    output wire [MACHINES-1:0]     arrived_bad,
    output wire [MACHINES*(DEPTH_LOG2+1)-1:0] arrived_flits,
    input  wire [DEPTH_LOG2-1:0]   read_flit,
    output wire [8*MACHINES-1:0]   read_data,
    input  wire [MACHINES-1:0]     arrival_taken,

    // One-clock pulses, of each machine.
    output wire [MACHINES-1:0]     event_dead,
    output wire [MACHINES-1:0]     event_adapt,
    output wire [MACHINES-1:0]     event_buffer,
    output wire [MACHINES-1:0]     event_drop,
    output wire [MACHINES-1:0]     event_stall,

    // As much as a word has left by this link.
    output wire [3:0]              event_word,

    output wire                    quiet
);
    // The machines of the two planes that leave by a link; those that leave by the opposite one arrive by it.
    function integer lower_machine(input [1:0] link);
        case (link)
            2'd0: lower_machine = 0;
            2'd1: lower_machine = 2;
            2'd2: lower_machine = 1;
            default: lower_machine = 5;
        endcase
    endfunction
    function integer upper_machine(input [1:0] link);
        case (link)
            2'd0: upper_machine = 6;
            2'd1: upper_machine = 4;
            2'd2: upper_machine = 3;
            default: upper_machine = 7;
        endcase
    endfunction

    localparam [3:0] N = 4'd9;  // bits of a flit and its header bit

    // Lines that share a data wire.
    localparam WIRE_LINES = INTERLEAVE < 2*LAYERS ? INTERLEAVE : 2*LAYERS;

    wire [MACHINES-1:0] line_in, busy, line_out, line_out_busy, line_next, busy_next, turns, sources, granted;
    wire [MACHINES-1:0] request = {{MACHINES-8{1'b0}}, load_request};
    wire [MACHINES-1:0] write   = {{MACHINES-8{1'b0}}, load_write};
    wire [MACHINES-1:0] commit  = {{MACHINES-8{1'b0}}, load_commit};
    // The phase of a plane.
    function integer turn_of(input integer layer, input integer quadrant);
        turn_of = (LAYERS == 1 ? quadrant : quadrant % 2 + 2*layer + 4*(quadrant / 2)) % INTERLEAVE;
    endfunction

    wire [4*LAYERS-1:0] plane_quiet, moves;
    wire [2:0]          phase, phase_next;

    // R12: with SHARED_WIRE busy is seen upstream when the wire has turned. Until then a packet that comes withdraws the request.
    wire [MACHINES-1:0] busy_seen;
    wire [MACHINES-1:0] requests = request & (busy_seen | ~line_in);
    assign load_granted = granted[7:0] & busy_seen[7:0];

    // SHARED_WIRE: phases of the wires that leave by each plane, and of those that arrive. They count N clocks, and are a clock
    // later at each site on the way. With vct all are the same.
    wire [4*4*LAYERS-1:0] wire_phase, wire_phase_before;
    function [3:0] plus(input [3:0] a, input [3:0] b);
        plus = {1'b0, a} + {1'b0, b} >= {1'b0, N} ? a + b - N : a + b;
    endfunction
    function [3:0] minus(input [3:0] a, input [3:0] b);
        minus = a >= b ? a - b : a + N - b;
    endfunction

    // PHASES: bit 0 of each pair is of X, bit 1 of Y.
    localparam integer WITHIN = PHASES - 1;
    wire [1:0] last_of  = {(~own_y & WITHIN[6:0]) == 7'd0, (~own_x & WITHIN[6:0]) == 7'd0};
    wire [1:0] first_of = {(own_y & WITHIN[6:0]) == 7'd0, (own_x & WITHIN[6:0]) == 7'd0};

    genvar p, l, k, w;
    generate
        for (p = 0; p < 4*LAYERS; p = p + 1) begin : plane
            localparam integer TURN = turn_of(p / 4, p % 4);
            localparam WEST = p % 4 == 1 || p % 4 == 2, SOUTH = p % 4 >= 2;

            assign moves[p] = phase == TURN[2:0];
            postman_node #(
                .DEPTH_LOG2(DEPTH_LOG2), .PRIORITY(PRIORITY), .LATE_PASS(LATE_PASS), .THROUGH(PHASES > 1 ? 1 : 0)
            ) node (
                .clk(clk), .reset(reset), .advance(moves[p]), .own_x(own_x), .own_y(own_y),
                .vct(vct), .adaptive_routing(adaptive_routing), .adaptive_sourcing(adaptive_sourcing),
                .waits({SOUTH ? first_of[1] : last_of[1], WEST ? first_of[0] : last_of[0]}),
                .line_in(line_in[2*p +: 2]), .busy(busy[2*p +: 2]), .line_out(line_out[2*p +: 2]),
                .line_out_busy(line_out_busy[2*p +: 2]),
                .line_next(line_next[2*p +: 2]), .busy_next(busy_next[2*p +: 2]),
                .load_request(requests[2*p +: 2]), .load_granted(granted[2*p +: 2]),
                .load_write(write[2*p +: 2]), .load_flit(load_flit), .load_commit(commit[2*p +: 2]),
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
            localparam integer LOWER_OUT = lower_machine(LINK), UPPER_OUT = upper_machine(LINK);
            localparam integer LOWER_IN  = lower_machine(BACK), UPPER_IN  = upper_machine(BACK);
            localparam integer DATA = LINK_WIDTH*l, BUSY = DATA + 2*LAYERS;

            // Data bits, a wire for each line, before any of them share one, and whether it has its wire in this clock and the
            // next one.
            wire [2*LAYERS-1:0] lines, lines_next, lines_move, moves_next;

            for (k = 0; k < LAYERS; k = k + 1) begin : layer
                localparam integer LOWER_TURN = turn_of(k, LOWER_OUT / 2), UPPER_TURN = turn_of(k, UPPER_OUT / 2);

                assign lines_move[2*k +: 2]       = {phase == UPPER_TURN[2:0], phase == LOWER_TURN[2:0]};
                assign moves_next[2*k +: 2]       = {phase_next == UPPER_TURN[2:0], phase_next == LOWER_TURN[2:0]};
                if (SHARED_WIRE == 0) begin : two_wires
                    assign link_out[BUSY + 2*k +: 2]  = {busy[8*k + UPPER_IN], busy[8*k + LOWER_IN]};
                    assign link_next[BUSY + 2*k +: 2] = {busy_next[8*k + UPPER_IN], busy_next[8*k + LOWER_IN]};
                    assign line_in[8*k + LOWER_IN]    = link_in[DATA + 2*k/WIRE_LINES];
                    assign line_in[8*k + UPPER_IN]    = link_in[DATA + (2*k + 1)/WIRE_LINES];
                    assign {busy_seen[8*k + UPPER_IN], busy_seen[8*k + LOWER_IN]} = 2'b11;
                end
            end

            if (SHARED_WIRE != 0) begin : one_wire
                for (k = 0; k < 2; k = k + 1) begin : line
                    localparam integer OUT = k == 0 ? LOWER_OUT : UPPER_OUT, IN = k == 0 ? LOWER_IN : UPPER_IN;
                    wire sends, shows, sends_next, shows_next;  // who drives: the sender of OUT, the receiver of IN
                    wire line_driven = line_out[OUT] && sends, busy_driven = busy[IN] && shows;

                    /* verilator lint_off PINCONNECTEMPTY */
                    postman_shared_wire sender (
                        .clk(clk), .reset(reset), .sends(1'b1), .phase(wire_phase[4*(OUT/2) +: 4]),
                        .wire_in(line_driven || link_in[BUSY + k]), .wire_out(), .wire_drive(sends), .drive_next(sends_next),
                        .line_out(line_out[OUT]), .line_out_busy(line_out_busy[OUT]), .line_in(), .busy(1'b0), .busy_shown());
                    postman_shared_wire receiver (
                        .clk(clk), .reset(reset), .sends(1'b0), .phase(wire_phase_before[4*(IN/2) +: 4]),
                        .wire_in(busy_driven || link_in[DATA + k]), .wire_out(), .wire_drive(shows), .drive_next(shows_next),
                        .line_out(1'b0), .line_out_busy(), .line_in(line_in[IN]), .busy(busy[IN]), .busy_shown(busy_seen[IN]));
                    /* verilator lint_on PINCONNECTEMPTY */

                    assign {link_out[BUSY + k], link_out[DATA + k]} = {busy_driven, line_driven};
                    assign link_next[BUSY + k] = busy_next[IN] && shows_next;
                    assign link_next[DATA + k] = line_next[OUT] && sends_next;
                end
                assign lines      = {line_out[UPPER_OUT], line_out[LOWER_OUT]};
                assign lines_next = 2'b00;
                wire unused_next  = &{1'b0, lines_next, moves_next};
            end else if (LAYERS == 1) begin : straight
                assign lines      = {line_out[UPPER_OUT], line_out[LOWER_OUT]};
                assign lines_next = {line_next[UPPER_OUT], line_next[LOWER_OUT]};
                assign line_out_busy[LOWER_OUT] = link_in[BUSY];
                assign line_out_busy[UPPER_OUT] = link_in[BUSY + 1];
            end else begin : over_cut
                postman_cut lower (
                    .crosses(cut[LOWER_OUT]), .line({line_out[8 + LOWER_OUT], line_out[LOWER_OUT]}),
                    .line_next({line_next[8 + LOWER_OUT], line_next[LOWER_OUT]}),
                    .line_busy({line_out_busy[8 + LOWER_OUT], line_out_busy[LOWER_OUT]}),
                    .wires({lines[2], lines[0]}), .wires_next({lines_next[2], lines_next[0]}),
                    .wires_busy({link_in[BUSY + 2], link_in[BUSY]}));
                postman_cut upper (
                    .crosses(cut[UPPER_OUT]), .line({line_out[8 + UPPER_OUT], line_out[UPPER_OUT]}),
                    .line_next({line_next[8 + UPPER_OUT], line_next[UPPER_OUT]}),
                    .line_busy({line_out_busy[8 + UPPER_OUT], line_out_busy[UPPER_OUT]}),
                    .wires({lines[3], lines[1]}), .wires_next({lines_next[3], lines_next[1]}),
                    .wires_busy({link_in[BUSY + 3], link_in[BUSY + 1]}));
            end

            postman_link_words #(.WORD_WIDTH(WORD_WIDTH), .LINES(2*LAYERS)) words (
                .clk(clk), .reset(reset), .moves(lines_move), .line(lines), .event_word(event_word[l]));

            for (w = 0; w < 2*LAYERS && SHARED_WIRE == 0; w = w + 1) begin : data
                if (w < 2*LAYERS/WIRE_LINES) begin : used
                    localparam FIRST = WIRE_LINES*w;

                    assign link_out[DATA + w]  = |(lines[FIRST +: WIRE_LINES] & lines_move[FIRST +: WIRE_LINES]);
                    assign link_next[DATA + w] = |(lines_next[FIRST +: WIRE_LINES] & moves_next[FIRST +: WIRE_LINES]);
                end else begin : unused
                    assign link_out[DATA + w]  = 1'b0;
                    assign link_next[DATA + w] = 1'b0;
                end
            end
        end

        if (SHARED_WIRE == 0) begin : no_wire_phase
            assign {wire_phase, wire_phase_before} = {MACHINES{4'd0}};
        end else begin : wire_phases
            reg  [3:0] count = 4'd0;
            wire [6:0] rest_x = own_x % 7'd9, rest_y = own_y % 7'd9;
            wire [3:0] x = rest_x[3:0], y = rest_y[3:0];

            wire unused_rest = &{1'b0, rest_x, rest_y};

            always @(posedge clk) count <= plus(count, 4'd1);
            for (p = 0; p < 4; p = p + 1) begin : plane
                localparam WEST = p == 1 || p == 2, SOUTH = p >= 2;
                wire [3:0] distance = plus(WEST ? minus(4'd0, x) : x, SOUTH ? minus(4'd0, y) : y);

                assign wire_phase[4*p +: 4]        = vct ? count : minus(count, distance);
                assign wire_phase_before[4*p +: 4] = vct ? count : plus(wire_phase[4*p +: 4], 4'd1);
            end
        end

        if (INTERLEAVE == 1) begin : no_phase
            assign phase      = 3'd0;
            assign phase_next = 3'd0;
        end else begin : phases
            localparam integer LAST = INTERLEAVE - 1;
            reg [2:0] now = 3'd0;

            assign phase      = now;
            assign phase_next = (now + 3'd1) & LAST[2:0];
            always @(posedge clk) now <= phase_next;
        end
    endgenerate

    assign quiet = &plane_quiet;

    wire unused = &{1'b0, turns, sources, granted, phase, cut, link_in, wire_phase, wire_phase_before, last_of, first_of};
endmodule

`default_nettype wire
