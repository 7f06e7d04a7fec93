// line_receiver on its own clock. A frame on an idle line arrives byte by byte, although one sample of it comes twice or is left
// out, wherever that is: so far the clocks of both ends may drift apart within a frame. A line that is 1 behind the frame inverts
// a bit of its last byte. That the receiver becomes idle whatever the line carries is an assertion in line_receiver.v.
// SPDX-License-Identifier: ISC
`default_nettype none

module line_receiver_proof (
    input wire clk,
    input wire noise              // the line, if it does not carry the frame
);
    localparam QUIET = 9'd140;    // samples of an idle line in front of the frame: the receiver becomes idle

    (* anyconst *) wire [31:0] frame;
    (* anyconst *) wire        tidy;     // the line carries the frame and nothing else
    (* anyconst *) wire        blocked;  // but 1 in the bit behind it
    (* anyconst *) wire [7:0]  slip;     // sample of the frame at which the clocks slip
    (* anyconst *) wire        twice;    // the sample comes twice, else it is left out

    reg  [8:0]  now = 9'd0;
    reg  [7:0]  place = 8'd0;            // sample of the frame
    reg         slipped = 1'b0;
    wire        begun = now >= QUIET;
    wire        over  = place >= 8'd136;
    wire        slips = begun && !slipped && place == slip;
    wire [33:0] bits  = {1'b1, frame, blocked};
    wire        line  = tidy ? begun && !over && bits[6'd33 - place[7:2]] : noise;

    wire [7:0] value;
    wire [1:0] progress;
    line_receiver receiver (.clk(clk), .line(line), .value(value), .progress(progress));

    reg  [1:0] progress_before = 2'd0;
    reg  [2:0] got = 3'd0;               // bytes
    wire [7:0] next_byte = got == 3'd0 ? frame[31:24] : got == 3'd1 ? frame[23:16] : got == 3'd2 ? frame[15:8] :
                           frame[7:0] ^ {7'd0, blocked};
    always @(posedge clk) begin
        now             <= now + {8'd0, now != 9'd511};
        slipped         <= slipped || slips;
        progress_before <= progress;
        if (begun && !over) place <= place + (!slips ? 8'd1 : twice ? 8'd0 : 8'd2);

        if (tidy && begun && progress != progress_before) begin
            got <= got + 3'd1;
            assert (got < 3'd4 && value == next_byte);
        end
        if (tidy && now == QUIET + 9'd146) assert (got == 3'd4 && progress == 2'd0);
        cover (tidy && got == 3'd4 && blocked && slipped);
    end
endmodule

`default_nettype wire
