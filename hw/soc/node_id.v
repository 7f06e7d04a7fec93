// Node ID block: read only, everything firmware may know about its mesh. One bitstream and one ELF serve all sites.
//
// Cost: a multiplexer; with straps tied to constants it folds to a small table.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module node_id #(
    parameter [31:0] WORD_WIDTH = 16,    // of the fabric
    parameter [31:0] RAM_BYTES  = 65536  // of the site
) (
    // bus.v: rdata belongs to adr in the same clock. Nothing is written.
    input  wire [11:2] adr,
    output reg  [31:0] rdata,

    // Straps, constant out of reset, widened with zeroes.
    input wire [15:0] site_number,
    input wire [31:0] site_address,
    input wire [1:0]  topology,
    input wire [15:0] size_x,
    input wire [15:0] size_y,
    input wire [15:0] links_connected,
    input wire [31:0] clock_hz,
    input wire [31:0] mesh_hash,
    input wire [15:0] divert_threshold,
    input wire [15:0] abort_threshold,
    input wire [15:0] abort_random,
    input wire [15:0] max_packet,
    input wire [7:0]  retry_limit,
    input wire [15:0] epoch,
    input wire        reliable
);
    localparam [31:0] MAP_VERSION = 32'd1;
    localparam [31:0] SIGNATURE   = 32'h54534f50;

    always @* begin
        rdata = 32'd0;
        case ({adr, 2'b00})
            `POSTROAD_ID_MAP_VERSION:      rdata = MAP_VERSION;
            `POSTROAD_ID_SITE:             rdata = {16'd0, site_number};
            `POSTROAD_ID_ADDRESS:          rdata = site_address;
            `POSTROAD_ID_TOPOLOGY:         rdata = {30'd0, topology};
            `POSTROAD_ID_SIGNATURE:        rdata = SIGNATURE;
            `POSTROAD_ID_SIZE_X:           rdata = {16'd0, size_x};
            `POSTROAD_ID_SIZE_Y:           rdata = {16'd0, size_y};
            `POSTROAD_ID_WORD_WIDTH:       rdata = WORD_WIDTH;
            `POSTROAD_ID_LINKS:            rdata = {16'd0, links_connected};
            `POSTROAD_ID_CLOCK_HZ:         rdata = clock_hz;
            `POSTROAD_ID_RAM_BYTES:        rdata = RAM_BYTES;
            `POSTROAD_ID_MESH_HASH:        rdata = mesh_hash;
            `POSTROAD_ID_DIVERT_THRESHOLD: rdata = {16'd0, divert_threshold};
            `POSTROAD_ID_ABORT_THRESHOLD:  rdata = {16'd0, abort_threshold};
            `POSTROAD_ID_ABORT_RANDOM:     rdata = {16'd0, abort_random};
            `POSTROAD_ID_MAX_PACKET:       rdata = {16'd0, max_packet};
            `POSTROAD_ID_DISCIPLINE:       rdata = {24'd0, `POSTROAD_DISCIPLINE_CUTTHROUGH};
            `POSTROAD_ID_TIME_HZ:          rdata = clock_hz;
            `POSTROAD_ID_RETRY_LIMIT:      rdata = {24'd0, retry_limit};
            `POSTROAD_ID_EPOCH:            rdata = {16'd0, epoch};
            `POSTROAD_ID_RELIABLE:         rdata = {31'd0, reliable};
            default:                       rdata = 32'd0;
        endcase
    end

endmodule

`default_nettype wire
