// word_shifter: 32 bits out to and in from an SPI flash (mode 0, highest bit first), and the CRC of bits.
//
//   start          _/-\________________
//   busy           ___/----------- ... ---------\____      64 clocks
//   flash_clock    _____/-\_/-\_/- ... /-\_/-\_______
//   flash_out      ===x===x===x=== ...     bit 31 is out when the clock rises; flash_in is taken at the end of its high half
//
// A word is two halves, the low one first, as in load records. The CRC (CRC-16/CCITT-FALSE: polynomial 0x1021, start value
// 0xffff) is that of the bits that go out. Firmware takes it of words that are sent while the flash is not selected.
// The first shift behind `begins` with first_byte has 8 bits, the high byte of the low half: a flash obeys a write enable only if
// it is deselected right behind that byte (Winbond W25Q128JV, "Write Enable"; the same in Micron's and ISSI's data sheets).
// Cost: 55 flops.
// SPDX-License-Identifier: ISC
`default_nettype none

module word_shifter (
    input wire clk,
    input wire reset,

    // start is 1 for one clock, not while busy, with the word to send. word_in is valid while busy is 0.
    input  wire        start,
    input  wire        load,       // with start: word_out replaces what is in the register
    input  wire [31:0] word_out,
    output wire [31:0] word_in,
    output reg         busy,

    input  wire        hold,       // no further clock for the flash; constant while flash_clock is 1

    input  wire        begins,     // 1 for one clock, not while busy: a new CRC
    input  wire        first_byte, // with begins: the next shift has 8 bits
    output wire        crc_zero,   // the CRC is 0: that of bits which end with their own CRC

    output reg         flash_clock,
    output wire        flash_out,
    input  wire        flash_in
);
    reg [31:0] shift = 32'd0;
    reg [4:0]  left;  // bits behind this one
    reg [15:0] crc;

    wire       moves    = busy && flash_clock;
    wire       crc_bit  = crc[15] ^ shift[31];
    wire       restarts = reset || begins;

    always @(posedge clk) begin
        flash_clock <= busy && !flash_clock && !reset && !hold;
        busy <= !reset && (start || busy && !(moves && left == 5'd0));
        if (restarts)
            left <= {{2{reset || !first_byte}}, 3'd7};
        else if (moves)
            left <= left - 5'd1;  // 31 again behind the last bit
        if (start && load)
            shift <= {word_out[15:0], word_out[31:16]};
        else if (moves)
            shift <= {shift[30:0], flash_in};
        if (restarts)
            crc <= 16'hffff;
        else if (moves)
            crc <= {crc[14:0], 1'b0} ^ (crc_bit ? 16'h1021 : 16'h0000);
    end

    assign word_in = {shift[15:0], shift[31:16]};
    assign crc_zero = crc == 16'd0;
    assign flash_out = shift[31];

`ifdef FORMAL
    // From any state the shifter stops: the half bits that are left fall by one, unless it is held. The flash's clock is 0 at
    // rest, and what is sent does not change at its rising edge.
    reg         past_valid = 1'b0;
    wire [6:0]  remaining = !busy ? 7'd0 : {1'b0, left, 1'b0} + {6'd0, !flash_clock} + 7'd1;

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (!past_valid) assume (reset);
        assume (!start || !busy);
        assume (!begins || !busy);
        assume (!hold || !flash_clock);
        if (past_valid && !$past(reset)) begin
            if ($past(busy)) assert (remaining == $past(remaining) - {6'd0, !$past(hold)});
            if ($past(hold)) assert (!flash_clock);
            if (!busy) assert (!flash_clock && (left == 5'd31 || left == 5'd7));
            if (flash_clock) assert (!$past(flash_clock) && flash_out == $past(flash_out));
            if ($past(begins)) assert (crc == 16'hffff && left == ($past(first_byte) ? 5'd7 : 5'd31));
            if ($past(busy) && !busy) assert (left == 5'd31);
        end
    end
`endif
endmodule

`default_nettype wire
