// postman_node: one virtual plane at one node: a machine for each dimension, and the two outputs that they share. The rules R1 to
// R15 have its clocks. Index 0 is machine X, 1 is machine Y.
//
//   line_in[0] -> machine X --+-----------> output X -> line_out[0]
//                  |   |       \  turn    /
//            arrival   transit --\------/
//                                 \    /
//                                  /  \       each source and each turn may take the other output, too
//            arrival   transit --/------\
//                  |   |       /          \
//   line_in[1] -> machine Y --+-----------> output Y -> line_out[1]
//
// SPDX-License-Identifier: ISC
`default_nettype none

module postman_node #(
    parameter FLIT       = 8,  // bits of a flit, without its header bit: one more than those of a coordinate
    parameter DEPTH_LOG2 = 5,  // the longest packet has 2**DEPTH_LOG2 - 1 flits, its addresses included
    parameter PRIORITY   = 0,  // who wins an output: 0 sources, 1 packets that go straight on
    parameter THROUGH    = 0,  // 1: what goes straight on leaves in the clock in which it comes, by outputs without `waits`, so
                               //    that a bit crosses several nodes a clock (phases.md)
    parameter LATE_PASS  = 0,  // 1: a packet that was blocked may go straight on when its leading flit is in (R5)
    parameter ARRIVALS_APART = 0  // 1: an arrival shows no busy. One that the operator has not taken N clocks behind its end may
                               //    cost the next one (R11)
) (
    input  wire                          clk,
    input  wire                          reset,
    input  wire                          advance,  // bits move; loads and arrivals go on in every clock

    // Constant out of reset.
    input  wire [FLIT-2:0]               own_x,
    input  wire [FLIT-2:0]               own_y,
    input  wire                          vct,
    input  wire                          adaptive_routing,
    input  wire                          adaptive_sourcing,
    input  wire [1:0]                    waits,    // with THROUGH: outputs that wait for the clock all the same

    // Lines. A sender looks at the busy of a line in the clock in which it begins. busy is a flop, and so is
    // line_out unless THROUGH; line_next and busy_next are what the flops show from the next clock on.
    input  wire [1:0]                    line_in,
    output reg  [1:0]                    busy,
    output wire [1:0]                    line_out,
    input  wire [1:0]                    line_out_busy,
    output wire [1:0]                    line_next,
    output wire [1:0]                    busy_next,

    // Load (R12). load_granted holds until load_commit or until load_request falls. Flits are written in order, from flit 0.
    input  wire [1:0]                    load_request,
    output wire [1:0]                    load_granted,
    input  wire [1:0]                    load_write,
    input  wire [FLIT-1:0]               load_flit,
    input  wire [1:0]                    load_commit,
    input  wire                          load_across,  // by the other output
    input  wire                          load_two,     // two address flits, by the own output

    // Arrivals (R13): read_data comes one clock after read_flit.
    output wire [1:0]                    arrived,
    output wire [1:0]                    arrived_bad,
    output wire [2*(DEPTH_LOG2+1)-1:0]   arrived_flits,
    input  wire [DEPTH_LOG2-1:0]         read_flit,
    output wire [2*FLIT-1:0]             read_data,
    input  wire [1:0]                    arrival_taken,

    // One-clock pulses.
    output wire [1:0]                    event_dead,
    output wire [1:0]                    event_turn,
    output wire [1:0]                    event_adapt,
    output wire [1:0]                    event_buffer,
    output wire [1:0]                    event_source,
    output wire [1:0]                    event_drop,
    output wire [1:0]                    event_stall,

    // While this is 1 and the lines are idle, no line shows a 1 and nothing changes.
    output wire                          quiet
);
    wire [1:0] pass_request, pass_bit, pass_ends, turn_request, turn_bit, turn_ends;
    wire [1:0] own_request, other_request, source_bit, source_ends, free, may_pass, late, idle;
    wire [7:0] grant, owner;

    assign quiet = idle == 2'b11 && busy == 2'b00 && owner == 8'd0;

    genvar m;
    generate
        for (m = 0; m < 2; m = m + 1) begin : dimension
            localparam O = 1 - m;
            wire [FLIT-1:0] flit;
            wire transit_free, transit_take, transit_across, transit_two, transit_write, transit_last, transit_overflow;
            wire arrival_free, arrival_take, arrival_write, arrival_last, arrival_overflow;
            wire adapts_next, full_next, occupied, occupied_next;
            wire unclaimed = may_pass[m] && !own_request[m] && !other_request[O];

            postman_machine #(.FLIT(FLIT), .LATE_PASS(LATE_PASS)) machine (
                .clk(clk), .reset(reset), .advance(advance), .own(m == 0 ? own_x : own_y), .vct(vct),
                .adaptive_routing(adaptive_routing), .line(line_in[m]), .pass_request(pass_request[m]),
                .pass_bit(pass_bit[m]), .pass_ends(pass_ends[m]), .passing(owner[4*m]), .unclaimed(unclaimed), .late(late[m]),
                .turn_request(turn_request[m]), .turn_bit(turn_bit[m]), .turn_ends(turn_ends[m]),
                .turn_granted(grant[4*O+1]), .flit(flit),
                .transit_free(transit_free), .transit_take(transit_take), .transit_across(transit_across),
                .transit_two(transit_two), .transit_write(transit_write), .transit_last(transit_last),
                .transit_overflow(transit_overflow), .arrival_free(arrival_free), .arrival_take(arrival_take),
                .arrival_write(arrival_write), .arrival_last(arrival_last), .arrival_overflow(arrival_overflow),
                .idle(idle[m]), .adapts_next(adapts_next), .event_dead(event_dead[m]), .event_turn(event_turn[m]),
                .event_adapt(event_adapt[m]), .event_drop(event_drop[m]));

            postman_transit_buffer #(.FLIT(FLIT), .DEPTH_LOG2(DEPTH_LOG2)) transit (
                .clk(clk), .reset(reset), .advance(advance), .adaptive_sourcing(adaptive_sourcing),
                .machine_idle(idle[m] && !line_in[m]), .free(transit_free), .take(transit_take),
                .take_across(transit_across), .take_two(transit_two),
                .write(transit_write), .flit(flit), .last(transit_last), .overflow(transit_overflow), .busy(busy[m]),
                .load_request(load_request[m]), .load_granted(load_granted[m]), .load_write(load_write[m]),
                .load_flit(load_flit), .load_commit(load_commit[m]), .load_across(load_across), .load_two(load_two),
                .own_free(free[m]), .own_request(own_request[m]), .other_request(other_request[m]),
                .granted(grant[4*m+2] || grant[4*O+3]), .bit_out(source_bit[m]), .ends(source_ends[m]),
                .full_next(full_next), .event_source(event_source[m]), .event_stall(event_stall[m]));

            postman_arrival_buffer #(.FLIT(FLIT), .DEPTH_LOG2(DEPTH_LOG2)) arrival (
                .clk(clk), .reset(reset), .advance(advance), .free(arrival_free), .take(arrival_take), .write(arrival_write),
                .flit(flit), .last(arrival_last), .overflow(arrival_overflow), .arrived(arrived[m]),
                .arrived_bad(arrived_bad[m]), .arrived_flits(arrived_flits[m*(DEPTH_LOG2+1) +: DEPTH_LOG2+1]),
                .read_flit(read_flit), .read_data(read_data[m*FLIT +: FLIT]), .taken(arrival_taken[m]),
                .occupied_next(occupied));

            postman_output #(.PRIORITY(PRIORITY), .THROUGH(THROUGH)) out (
                .clk(clk), .reset(reset), .advance(advance), .waits(waits[m]), .line_busy(line_out_busy[m]),
                .request({other_request[O], own_request[m], turn_request[O] && !late[m], pass_request[m]}),
                .grant(grant[4*m +: 4]), .bits({source_bit[O], source_bit[m], turn_bit[O], pass_bit[m]}),
                .ends({source_ends[O], source_ends[m], turn_ends[O], pass_ends[m]}), .owner(owner[4*m +: 4]),
                .free(free[m]), .may_pass(may_pass[m]), .line_next(line_next[m]), .line(line_out[m]));

            assign event_buffer[m] = advance && transit_take;
            assign occupied_next   = occupied && ARRIVALS_APART == 0;
            assign busy_next[m]    = !reset && (full_next || occupied_next || adapts_next || load_request[m]);
        end
    endgenerate

    always @(posedge clk) busy <= busy_next;
endmodule

`default_nettype wire
