// postman_link_words: counts what leaves by a link in words, for the counter words_out: each flit is a byte of one, and address
// flits, dead ones too, and check bytes count as well. A flit is a header bit 1 and 8 bits (R1).
// SPDX-License-Identifier: ISC
`default_nettype none

module postman_link_words #(
    parameter WORD_WIDTH = 16,  // bits of a word
    parameter LINES      = 2    // of the planes that leave by the link: 2 or 4
) (
    input  wire             clk,
    input  wire             reset,
    input  wire [LINES-1:0] moves,      // of each line: a bit moves in this clock
    input  wire [LINES-1:0] line,
    output wire             event_word
);
    localparam [3:0] FLIT = 8;
    localparam WORD_FLITS = WORD_WIDTH / 8;
    localparam REST_WIDTH = LINES == 2 ? 2 : 3;  // a line begins a flit in 9 clocks, so few flits are ever left

    wire [LINES-1:0]      begins;
    reg  [REST_WIDTH-1:0] flits;   // that no pulse has been given for
    reg  [REST_WIDTH:0]   sum;
    wire [REST_WIDTH:0]   over = sum - WORD_FLITS[REST_WIDTH:0];
    integer               b;
    always @* begin
        sum = {1'b0, flits};
        for (b = 0; b < LINES; b = b + 1)
            sum = sum + {{REST_WIDTH{1'b0}}, begins[b]};
    end

    genvar i;
    generate
        for (i = 0; i < LINES; i = i + 1) begin : meter
            reg [3:0] left;  // bits of the flit that are still to come

            assign begins[i] = moves[i] && left == 4'd0 && line[i];
            always @(posedge clk)
                if (reset) left <= 4'd0;
                else if (begins[i]) left <= FLIT;
                else if (moves[i] && left != 4'd0) left <= left - 4'd1;
        end
    endgenerate

    assign event_word = sum >= WORD_FLITS[REST_WIDTH:0];

    always @(posedge clk)
        flits <= reset ? {REST_WIDTH{1'b0}} : event_word ? over[REST_WIDTH-1:0] : sum[REST_WIDTH-1:0];

    wire unused = &{1'b0, over, sum};
endmodule

`default_nettype wire
