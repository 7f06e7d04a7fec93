// network_interface with 16 and 32 bit words, random packets both ways, random stalls everywhere; see
// network_interface_bench.v. Prints the words per clock that the manual states.
// SPDX-License-Identifier: ISC
`default_nettype none

module network_interface_tb;
    wire    done_16, failed_16, done_32, failed_32;
    integer seed;

    network_interface_bench #(.WORD_WIDTH(16), .SALT(0)) narrow (.done(done_16), .failed(failed_16));
    network_interface_bench #(.WORD_WIDTH(32), .SALT(1)) wide (.done(done_32), .failed(failed_32));

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 1;
        $display("seed=%0d", seed);
        wait ((done_16 && done_32) || failed_16 || failed_32);
        if (failed_16 || failed_32) $display("FAIL seed=%0d", seed);
        else $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
