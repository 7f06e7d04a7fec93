// golden_select: the golden image of an iCE40 board, with which the FPGA starts at power-on if the board's section of the testbed
// file has `golden = FILE` (boards/README.md).
//
// The FPGA takes a bitstream as it is: if a write was cut it stays dark, and nothing shows why. This image reads the bitstream in
// its slot in the flash first. If its CRC is right, the FPGA is configured again, from there (SB_WARMBOOT). If not, the image
// stays and repeats a line of text on the console: it has no mesh and no site, and drives no cable.
//
//   starts --- wakes --- rests --- asks --- reads --- judges --- boots     0.2 s at 12 MHz
//    PAUSE     0xab      PAUSE     0x03,     BYTES        |
//                                 address                 `----- damaged   a line, 256 PAUSE (0.17 s) of silence, and so on
//
// SPI mode 0, a bit in two clocks. The CRC is CRC-32/MPEG-2 (polynomial 0x04c11db7, start value all ones, highest bit first),
// which is 0 behind bytes that end with it. 0xab ends the power-down in which an iCE40 leaves its flash (Winbond W25Q128JV,
// tRES1). Rows of erased bytes or of zeroes have no CRC of 0. hw/soc/boot.md has the layout of the flash.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module golden_select #(
    parameter [31:0] SLOT    = `POSTROAD_GOLDEN_SLOT,        // address in the flash
    parameter [31:0] BYTES   = `POSTROAD_GOLDEN_SLOT_BYTES,  // of the slot, with the CRC; at most 256 KB
    parameter [12:0] PAUSE   = 13'd8191,                     // clocks: see above
    parameter        DIVIDER = 12                            // clocks a bit of the console
) (
    input wire clk,

    output reg  flash_select_n,
    output reg  flash_clock,
    output wire flash_out,
    input  wire flash_in,

    output wire uart_tx,
    output wire boots,    // to SB_WARMBOOT; stays 1
    output wire damaged
);
    localparam [2:0] STARTS = 3'd0, WAKES = 3'd1, RESTS = 3'd2, ASKS = 3'd3, READS = 3'd4, JUDGES = 3'd5, BOOTS = 3'd6,
                     DAMAGED = 3'd7;
    localparam LETTERS = 56;
    localparam [8*LETTERS-1:0] TEXT = "golden image: the bitstream is damaged (postroad flash)\n";

    reg [2:0]  phase = STARTS;
    reg [20:0] left  = {8'd0, PAUSE};  // bits or clocks of the phase, behind this one
    reg [31:0] shift;
    reg [31:0] crc;
    reg [5:0]  letter = 6'd0;

    wire       shifts   = phase == WAKES || phase == ASKS || phase == READS;
    wire       rests    = phase == STARTS || phase == RESTS || phase == JUDGES;
    wire       step     = shifts && flash_clock || rests || phase == DAMAGED && left != 21'd0;
    wire       last     = left == 21'd0 && (shifts && flash_clock || rests);
    wire [2:0] next     = !last ? phase : phase == JUDGES && crc != 32'd0 ? DAMAGED : phase + 3'd1;
    wire       next_bit = crc[31] ^ flash_in;

    // What each phase begins with.
    reg [20:0] length;
    reg [31:0] command;
    always @(*) begin
        {length, command} = {21'd0, 32'd0};
        case (next)
            WAKES:   {length, command} = {21'd7, 32'hab000000};
            RESTS:   length = {8'd0, PAUSE};
            ASKS:    {length, command} = {21'd31, 8'h03, SLOT[23:0]};
            READS:   length = {BYTES[17:0], 3'd0} - 21'd1;
            default: ;
        endcase
    end

    wire ready;
    wire valid     = phase == DAMAGED && left == 21'd0;
    wire sent      = ready && valid;
    wire line_ends = letter == LETTERS[5:0] - 6'd1;

    always @(posedge clk) begin
        phase <= next;
        flash_select_n <= !(next == WAKES || next == ASKS || next == READS);
        flash_clock <= shifts && !flash_clock;
        if (last) begin
            left <= length;
            shift <= command;
        end else begin
            if (step)
                left <= left - 21'd1;
            else if (sent && line_ends)
                left <= {PAUSE, 8'd0};
            if (shifts && flash_clock)
                shift <= {shift[30:0], 1'b0};
        end
        if (phase == ASKS)
            crc <= 32'hffffffff;
        else if (phase == READS && flash_clock)
            crc <= {crc[30:0], 1'b0} ^ (next_bit ? 32'h04c11db7 : 32'd0);
        if (sent)
            letter <= line_ends ? 6'd0 : letter + 6'd1;
    end

    serial_transmitter #(.DIVIDER(DIVIDER)) transmitter (
        .clk(clk), .reset(phase != DAMAGED), .line(uart_tx),
        .valid(valid), .byte_out(TEXT[8 * (LETTERS - 1 - letter) +: 8]), .ready(ready)
    );

    assign flash_out = shift[31];
    assign boots = phase == BOOTS;
    assign damaged = phase == DAMAGED;
endmodule

`default_nettype wire
