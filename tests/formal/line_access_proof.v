// line_access at both ends of a wire that joins two pins which send: a wrong cable. What the links send and hear, noise on a wire
// that nothing drives, and the phases of the two ends are any. Neither link is up, since what this wire carries arrives nowhere.
// Which level wins a fight is the same throughout, and both ends have one clock. Two different levels meet for less than two bit
// times. The properties of one end are in line_access.v.
// SPDX-License-Identifier: ISC
`default_nettype none

module line_access_proof (
    input wire       clk,
    input wire [1:0] reset,
    input wire [1:0] any_line,
    input wire [1:0] hears,
    input wire       noise
);
    localparam CLOCKS = 19;
    (* anyconst *) wire [1:0] calls;
    (* anyconst *) wire       winner;
    (* hierconn *) wire [CLOCKS-1:0] \a.clocks ;
    (* hierconn *) wire [CLOCKS-1:0] \b.clocks ;

    reg  [1:0] line;
    wire [1:0] drives, meets;
    wire       fights = &drives && line[0] != line[1];
    wire       level  = fights ? winner : drives[0] ? line[0] : drives[1] ? line[1] : noise;

    line_access #(.LINKS(1)) a (
        .clk(clk), .reset(reset[0]), .calls(calls[0]), .hears(hears[0]), .up(1'b0),
        .line(line[0]), .pin(level), .drives(drives[0]), .meets(meets[0]));
    line_access #(.LINKS(1)) b (
        .clk(clk), .reset(reset[1]), .calls(calls[1]), .hears(hears[1]), .up(1'b0),
        .line(line[1]), .pin(level), .drives(drives[1]), .meets(meets[1]));

    reg       started = 1'b0;
    reg [3:0] fought;  // clocks of the fight under way
    always @(posedge clk) begin
        started <= 1'b1;
        if (!started) assume (reset == 2'b11);
        // A line changes between two bits of its end.
        if (reset[0] || &\a.clocks [1:0]) line[0] <= any_line[0];
        if (reset[1] || &\b.clocks [1:0]) line[1] <= any_line[1];
        fought <= !started || !fights ? 4'd0 : fought + {3'd0, fought != 4'd15};

        if (started) assert (fought < 4'd8);
        cover (fought == 4'd4 && started);
    end
endmodule

`default_nettype wire
