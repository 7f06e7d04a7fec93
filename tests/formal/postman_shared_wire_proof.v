// Both ends of a shared wire, between a sender that begins whenever it may and a receiver that is busy whenever it likes. What is
// on the wire while nothing drives it, or both ends do, may look different at the two ends. Never do both ends drive, nor one in
// the clock after the other. Each bit arrives in the clock in which it leaves. Busy is seen before the next packet, an idle line
// shows a reservation, and a wire that nothing holds is open in each of its phases.
// SPDX-License-Identifier: ISC
`default_nettype none

module postman_shared_wire_proof #(
    parameter FLIT = 8
) (
    input wire clk,
    input wire begins,             // the sender would begin
    input wire value,              // of a bit that is no header bit
    input wire goes_on,            // another flit follows
    input wire busy,
    input wire float_s, float_r    // what either end sees on a wire that floats
);
    localparam WIDTH = $clog2(FLIT + 2), N = FLIT + 1;

    reg             reset = 1'b1;
    reg [WIDTH-1:0] phase;
    (* anyconst *) wire [WIDTH-1:0] start;
    always @(posedge clk) reset <= 1'b0;
    always @(*) assume (start < N);
    always @(posedge clk) phase <= reset ? start : phase == N - 1 ? 0 : phase + 1'b1;

    // The sender: R1 to R3.
    reg             line_out = 1'b0;
    reg [WIDTH-1:0] left = 0;   // bits of the flit that leaves, its header bit included; 1: the validity bit may follow
    reg             owned = 1'b0;
    wire            line_out_busy, line_in, busy_shown;
    wire            starts = !owned && begins && !line_out_busy && !reset;
    wire            flit_ends = owned && left == 1;
    always @(posedge clk) begin
        line_out <= starts || owned && (flit_ends ? goes_on : value);
        owned    <= starts || owned && !(flit_ends && !goes_on);
        left     <= starts || flit_ends ? N : left - 1'b1;
        if (reset) {line_out, owned} <= 2'b00;
    end

    wire out_s, out_r, drive_s, drive_r, busy_of_r, shown_of_s, in_of_s;
    wire both = drive_s && drive_r;
    wire in_s = !both && (drive_s ? out_s : drive_r ? out_r : float_s) || both && float_s;
    wire in_r = !both && (drive_s ? out_s : drive_r ? out_r : float_r) || both && float_r;
    postman_shared_wire #(.FLIT(FLIT)) sender (
        .clk(clk), .reset(reset), .sends(1'b1), .phase(phase), .wire_in(in_s), .wire_out(out_s), .wire_drive(drive_s),
        .drive_next(),
        .line_out(line_out), .line_out_busy(line_out_busy), .line_in(in_of_s), .busy(1'b0), .busy_shown(shown_of_s));
    postman_shared_wire #(.FLIT(FLIT)) receiver (
        .clk(clk), .reset(reset), .sends(1'b0), .phase(phase), .wire_in(in_r), .wire_out(out_r), .wire_drive(drive_r),
        .drive_next(),
        .line_out(1'b0), .line_out_busy(busy_of_r), .line_in(line_in), .busy(busy), .busy_shown(busy_shown));

    // Busy from the last bit of a packet on, or since it was shown, keeps the sender from beginning.
    reg       drove_s = 1'b0, drove_r = 1'b0, sent = 1'b0, binds = 1'b0;
    reg [5:0] busy_for = 6'd0, free_for = 6'd0;   // clocks of an idle line
    wire      idle = !owned && !line_out;
    always @(posedge clk) begin
        drove_s  <= drive_s && !reset;
        drove_r  <= drive_r && !reset;
        sent     <= owned && !reset;
        binds    <= !reset && busy && (binds || busy_shown || sent && !owned);
        busy_for <= reset || !idle || !busy ? 6'd0 : busy_for + {5'd0, busy_for != 6'd63};
        free_for <= reset || !idle || busy ? 6'd0 : free_for + {5'd0, free_for != 6'd63};
        if (!reset) begin
            assert (!both);
            assert (!(drove_s && drive_r) && !(drove_r && drive_s));
            assert (line_in == line_out);
            if (binds && busy) assert (line_out_busy);
            if (busy_shown && busy) assert (line_out_busy && idle);
            if (busy_for >= 2*N) assert (busy_shown);
            if (free_for >= 2*N) assert (line_out_busy == !(phase < N - 4 || phase == N - 1));
            if (line_out && !sent) assert (phase <= N - 4);
        end
        cover (!reset && busy_for >= 2*N);
        cover (!reset && free_for >= 2*N && starts);
        cover (!reset && binds && busy && busy_shown);
        cover (!reset && owned && left == 3 && sent && line_in && phase == 2);
    end
    wire unused = &{1'b0, busy_of_r, shown_of_s, in_of_s};
endmodule

`default_nettype wire
