// The router between its net_inputs and net_outputs, for ever and whatever words come (X1): what it has to be told of them is
// assumed here, what it does is under FORMAL in the router.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module router_proof #(
    parameter WORD_WIDTH  = 16,
    parameter COORD_WIDTH = 7,
    parameter LINKS       = 2,
    parameter HYPERCUBE   = 0,
    parameter ADAPTIVE    = 0,
    parameter LINK_WIDTH  = WORD_WIDTH + 3,
    parameter PORTS       = LINKS + 1
) (
    input wire                        clk,
    input wire                        reset,
    input wire [PORTS*LINK_WIDTH-1:0] links,
    input wire [PORTS*LINK_WIDTH-1:0] kept,
    input wire [PORTS-1:0]            ready,
    input wire                        relief,
    input wire [LINKS-1:0]            link_down
);
    (* anyconst *) reg [2*COORD_WIDTH-1:0] site_address;
    (* anyconst *) reg [COORD_WIDTH-1:0]   size_x, size_y;
    (* anyconst *) reg [1:0]               topology;
    (* anyconst *) reg [7:0]               unicast_lists;
    (* anyconst *) reg [15:0]              divert_threshold, abort_threshold, relief_limit;

    wire [PORTS*LINK_WIDTH-1:0] words;
    wire [PORTS-1:0]            taken;
    reg  [PORTS-1:0]            held;
    reg                         past_valid = 1'b0, reset_before;

    always @(posedge clk) begin
        past_valid   <= 1'b1;
        reset_before <= reset;
        if (!past_valid) assume (reset);
    end

    router #(
        .WORD_WIDTH(WORD_WIDTH), .COORD_WIDTH(COORD_WIDTH), .LINKS(LINKS), .HYPERCUBE(HYPERCUBE), .ADAPTIVE(ADAPTIVE),
    ) router (
        .clk(clk), .reset(reset), .site_address(site_address), .topology(topology), .size_x(size_x), .size_y(size_y),
        .unicast_lists(unicast_lists), .divert_threshold(divert_threshold), .abort_threshold(abort_threshold),
        .relief_limit(relief_limit), .relief(relief), .link_down(link_down),
        .links(links), .words(words), .held(held), .taken(taken), .remote_words(), .local_word(), .abort(), .ready(ready),
        .event_drop(), .event_divert(), .event_abort(), .event_split(), .event_defer(), .connections(), .quiet());

    // net_inputs: a word that was not taken is held, still; there is none in the clock after reset.
    genvar p;
    generate
        for (p = 0; p < PORTS; p = p + 1) begin : net_input
            wire [LINK_WIDTH-1:0] word = held[p] ? kept[p*LINK_WIDTH +: LINK_WIDTH] : links[p*LINK_WIDTH +: LINK_WIDTH];
            assign words[p*LINK_WIDTH +: LINK_WIDTH] = word;
            link_contract #(.WORD_WIDTH(WORD_WIDTH), .ASSUME_SENDER(1), .PACKETS(0)) contract (
                .clk(clk), .reset(reset), .word(word), .waits(!taken[p]), .multicast_open());
            always @(posedge clk) begin
                held[p] <= reset || (|word[WORD_WIDTH +: 3] && !taken[p]);
                if (past_valid && reset_before) assume (word == {LINK_WIDTH{1'b0}});
            end
        end
    endgenerate
endmodule

`default_nettype wire
