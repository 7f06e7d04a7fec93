// eager_links: board_link for boards with cells to spare. Each link has a receiver and a sender of its own, and a unicast that
// goes straight on leaves by the opposite link while it arrives: 1.75 to 2 bit times from pin to pin. The wire is
// board_link's, so that the two can be cabled to each other. eager.md has the argument for it and the figures.
//
//   line_in[l] --> eager_arrival ------------------------------> link_in[l]
//                       |
//                   eager_way  (from each link to its opposite)
//                       v
//   line_out[l^1] <- eager_departure <------------------------- link_out[l^1]
//
// SPDX-License-Identifier: ISC
`default_nettype none

module eager_links #(
    parameter RATIO     = 1,   // clk / the fabric's clock: 1, 2 or 4. The fabric's edges are edges of clk
    parameter PORT_FLIP = 1,   // link l is cabled to link l ^ PORT_FLIP: 1 for a grid (east to west), 0 for a hypercube
    parameter FORWARDS  = 1    // 0: no word leaves before it is whole, as with board_link
) (
    input  wire                clk,           // four times the bit rate
    input  wire                reset,         // of the links, ends with an edge of the fabric's clock
    input  wire                fabric_reset,  // the fabric is in reset: packets that it sends or receives end here

    // Lines: idle 0. line_in is asynchronous.
    input  wire [3:0]          line_in,
    output wire [3:0]          line_out,

    // Fabric, link l at [19*l +: 19]: its contract of a link. link_down: words are accepted and discarded.
    input  wire [75:0]         link_out,
    output wire [3:0]          link_out_wait,
    output wire [75:0]         link_in,
    input  wire [3:0]          link_in_wait,
    output wire [3:0]          link_down,
    output wire [3:0]          hears,         // good frames come in: line_access

    input  wire [15:0]         site_number,   // below 32768, for the far end, which shows it in its registers
    input  wire [13:0]         site_address,  // y above x; it may change while fabric_reset is 1

    // Register, one word, as board_link's: a write chooses a value, {half, row}; a read shows it. eager.md has what there is.
    input  wire                request,
    input  wire                we,
    input  wire [7:0]          wdata,
    output wire [31:0]         rdata
);
    localparam LINKS       = 4;
    localparam PERIOD_BITS = 13;  // 2048 bit times: a link that hears nothing in a period goes down
    localparam STOP_BITS   = 24;  // a link whose far end takes nothing for two to three quarters of 2^24 clocks goes down

    reg  [STOP_BITS-1:0] clocks;
    wire       step     = RATIO == 1 || (RATIO == 2 ? clocks[0] : &clocks[1:0]);
    wire       bit_time = &clocks[1:0];
    wire       checks   = &clocks[PERIOD_BITS-1:0];

    always @(posedge clk) clocks <= reset ? {STOP_BITS{1'b0}} : clocks + 1'b1;

    // By link: the half that receives, the way from it, and the half that sends on this link.
    wire [LINKS-1:0] strobe, value, mismatch, may_begin, arrived, fits, accepted, begins, gone, connected, keeps, queued, pop;
    wire [LINKS-1:0] clear, free, broken, forwards, abandons, spoils, holds, offers, takes, owes, stopped, lost;
    wire [5:0]       place  [0:LINKS-1];
    wire [23:0]      frame  [0:LINKS-1];
    wire [18:0]      oldest [0:LINKS-1];
    wire [1:0]       report [0:LINKS-1];
    wire [15:0]      shown  [0:LINKS-1];
    reg  [7:0]       chosen;

    genvar l;
    generate
        for (l = 0; l < LINKS; l = l + 1) begin : links
            localparam AHEAD  = l ^ 1;
            localparam [1:0] LINK = l;
            // far_number: from status frames while the link trains. Its top bit: the far end has eager links. Counters wrap.
            reg [15:0] far_number, damages, words;
            reg [7:0]  far_header;
            wire [2:0] state;
            wire damaged, heard_status, sent_word;

            eager_arrival #(.PORT_FLIP(PORT_FLIP), .LINK(LINK)) arrival (
                .clk(clk), .step(step), .reset(reset), .fabric_reset(fabric_reset), .checks(checks),
                .quarter(clocks[STOP_BITS-1 -: 2]), .line(line_in[l]),
                .link_in(link_in[19*l +: 19]), .link_in_wait(link_in_wait[l]), .report(report[l]), .down(link_down[l]),
                .stopped(stopped[l]), .lost(lost[l]), .strobe(strobe[l]), .place(place[l]), .value(value[l]), .frame(frame[l]),
                .mismatch(mismatch[l]), .may_begin(may_begin[l]), .arrived(arrived[l]), .fits(fits[l]), .accepted(accepted[l]),
                .begins(begins[l]), .gone(gone[l]), .connected(connected[l]), .keeps(keeps[l]), .queued(queued[l]),
                .oldest(oldest[l]), .pop(pop[l]), .state(state),
                .damaged(damaged), .heard_status(heard_status));

            eager_departure #(.LINK(LINK)) departure (
                .clk(clk), .step(step), .reset(reset), .fabric_reset(fabric_reset), .bit_time(bit_time), .line(line_out[l]),
                .link_out(link_out[19*l +: 19]), .link_out_wait(link_out_wait[l]), .status({1'b1, site_number[14:0]}),
                .report(report[l]),
                .down(link_down[l]), .stopped(stopped[l]), .lost(lost[l]), .knows_dead(far_number[15]), .clear(clear[l]),
                .free(free[l]), .broken(broken[l]),
                .forwards(forwards[AHEAD]), .abandons(abandons[AHEAD]), .spoils(spoils[AHEAD]), .bit_in(frame[AHEAD][0]),
                .mismatch(mismatch[AHEAD]), .holds(holds[AHEAD]), .offers(offers[AHEAD]), .offered(oldest[AHEAD]),
                .takes(takes[l]), .owes(owes[AHEAD]), .sent_word(sent_word));

            eager_way #(.PORT_FLIP(PORT_FLIP), .FORWARDS(FORWARDS != 0 && PORT_FLIP == 1)) way (
                .clk(clk), .reset(reset), .link(LINK), .here(LINK[1] ? site_address[13:7] : site_address[6:0]),
                .strobe(strobe[l]),
                .place(place[l]), .value(value[l]), .frame(frame[l]), .may_begin(may_begin[l]), .arrived(arrived[l]),
                .fits(fits[l]), .accepted(accepted[l]), .begins(begins[l]), .gone(gone[l]), .connected(connected[l]),
                .keeps(keeps[l]), .queued(queued[l]), .oldest(oldest[l][18:16]), .pop(pop[l]), .clear(clear[AHEAD]),
                .free(free[AHEAD]),
                .stopped(stopped[AHEAD]), .broken(broken[AHEAD]), .forwards(forwards[l]), .abandons(abandons[l]),
                .spoils(spoils[l]), .holds(holds[l]), .offers(offers[l]), .takes(takes[AHEAD]), .owes(owes[l]));

            always @(posedge clk)
                if (reset) {far_number, far_header, damages, words} <= 56'd0;
                else begin
                    if (heard_status) {far_header, far_number} <= frame[l];
                    damages <= damages + {15'd0, damaged};
                    words   <= words + {15'd0, sent_word || gone[AHEAD]};
                end
            assign hears[l] = state[2];
            assign shown[l] = chosen[5] ? (chosen[3] ? words : damages) :
                              chosen[3] ? (chosen[7] ? far_number : {8'd0, far_header}) : {4'd0, state, 9'd0};
        end
    endgenerate

    assign rdata = {1'b1, 11'd0, ~link_down, shown[chosen[1:0]]};
    always @(posedge clk) if (request && we) chosen <= wdata;
    wire unused = &{1'b0, site_number[15], chosen[6], chosen[4], chosen[2]};
endmodule

`default_nettype wire
