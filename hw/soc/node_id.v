// node_id: the node ID block, read only. It holds all parameters of the mesh that firmware may use, so that one bitstream and one
// ELF serve all sites.
//
// Cost: a multiplexer; with straps tied to constants it folds to a small table.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"
`include "straps.vh"

module node_id #(
    parameter [31:0] WORD_WIDTH = 16,    // of the fabric
    parameter [31:0] DISCIPLINE = 0,     // of the fabric, the number in its discipline.ini
    parameter [31:0] RAM_BYTES  = 65536  // of the site
) (
    // bus.v: rdata belongs to adr in the same clock. Writes are ignored.
    input  wire [11:2] adr,
    output reg  [31:0] rdata,

    // Constant out of reset.
    input  wire [`POSTROAD_STRAPS-1:0] straps
);
    always @* begin
        rdata = 32'd0;
        case ({adr, 2'b00})
            `POSTROAD_ID_MAP_VERSION: rdata = `POSTROAD_ID_MAP_VERSION_VALUE;
            `POSTROAD_ID_SIGNATURE:   rdata = `POSTROAD_ID_SIGNATURE_VALUE;
            `POSTROAD_ID_WORD_WIDTH:  rdata = WORD_WIDTH;
            `POSTROAD_ID_RAM_BYTES:   rdata = RAM_BYTES;
            `POSTROAD_ID_DISCIPLINE:  rdata = DISCIPLINE;
`include "node_id_straps.vh"
            default:                  rdata = 32'd0;
        endcase
    end

    wire unused = &{1'b0, straps};

endmodule

`default_nettype wire
