// node_id_tb: every word of the block, for random straps and two parameter sets; between them it reads 0.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"
`include "straps.vh"

module node_id_tb;
    `include "bench.vh"

    reg [11:2]  adr = 10'd0;
    reg [15:0]  site_number, size_x, size_y, links_connected, divert_threshold, abort_threshold;
    reg [15:0]  max_packet, epoch;
    reg         reliable;
    reg [31:0]  site_address, clock_hz, mesh_hash;
    reg [1:0]   topology;
    reg [7:0]   retry_limit;
    reg [11:0]  link_clocks;
    wire [31:0] rdata, rdata_wide;

    reg [`POSTROAD_STRAPS-1:0] straps;
    always @* begin
        straps = {`POSTROAD_STRAPS{1'b1}};
        straps[`POSTROAD_STRAP_SITE_NUMBER] = site_number;
        straps[`POSTROAD_STRAP_SITE_ADDRESS] = site_address;
        straps[`POSTROAD_STRAP_TOPOLOGY] = topology;
        straps[`POSTROAD_STRAP_SIZE_X] = size_x;
        straps[`POSTROAD_STRAP_SIZE_Y] = size_y;
        straps[`POSTROAD_STRAP_LINKS_CONNECTED] = links_connected;
        straps[`POSTROAD_STRAP_CLOCK_HZ] = clock_hz;
        straps[`POSTROAD_STRAP_MESH_HASH] = mesh_hash;
        straps[`POSTROAD_STRAP_DIVERT_THRESHOLD] = divert_threshold;
        straps[`POSTROAD_STRAP_ABORT_THRESHOLD] = abort_threshold;
        straps[`POSTROAD_STRAP_MAX_PACKET] = max_packet;
        straps[`POSTROAD_STRAP_RETRY_LIMIT] = retry_limit;
        straps[`POSTROAD_STRAP_LINK_CLOCKS] = link_clocks;
        straps[`POSTROAD_STRAP_EPOCH] = epoch;
        straps[`POSTROAD_STRAP_RELIABLE] = reliable;
    end

    node_id dut (.adr(adr), .rdata(rdata), .straps(straps));
    node_id #(.WORD_WIDTH(32), .RAM_BYTES(8192)) wide (.adr(adr), .rdata(rdata_wide), .straps(straps));

    // The block as the .mesh file's straps make it; `wide_set` chooses the parameters.
    function [31:0] expected(input integer word, input wide_set);
        case (word)
            0: expected = 32'd2;
            1: expected = site_number;
            2: expected = site_address;
            3: expected = topology;
            4: expected = "TSOP";  // little endian: P is the first byte
            5: expected = size_x;
            6: expected = size_y;
            7: expected = wide_set ? 32 : 16;
            8: expected = links_connected;
            9: expected = clock_hz;
            10: expected = wide_set ? 8192 : 65536;
            11: expected = mesh_hash;
            12: expected = divert_threshold;
            13: expected = abort_threshold;
            14: expected = link_clocks;
            15: expected = max_packet;
            16: expected = 32'd0;
            17: expected = clock_hz;
            18: expected = retry_limit;
            19: expected = epoch;
            20: expected = reliable;
            default: expected = 32'd0;
        endcase
    endfunction

    task draw;
        begin
            {site_number, size_x, size_y, links_connected} = {$random(seed), $random(seed)};
            {divert_threshold, abort_threshold, max_packet} = {$random(seed), $random(seed)};
            {site_address, clock_hz} = {$random(seed), $random(seed)};
            {mesh_hash, topology, retry_limit, epoch, reliable} = {$random(seed), $random(seed)};
            link_clocks = $random(seed);
        end
    endtask

    integer round, word;
    initial begin
        begin_bench;
        for (round = 0; round < 50; round = round + 1) begin
            draw;
            for (word = 0; word < 1024; word = word + 1) begin
                adr = word;
                #1 check(rdata === expected(word, 1'b0), "a word of the block");
                check(rdata_wide === expected(word, 1'b1), "a word of the block, other parameters");
            end
        end
        verdict;
    end
endmodule

`default_nettype wire
