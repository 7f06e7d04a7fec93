// Prints what hw/common/link_guard.v does in every state that it can reach from power-on, with every input: a line each, the
// state, the input, {word_out, wait_in} and the next state in hexadecimal. A word has one bit: it is copied and never looked at.
// SPDX-License-Identifier: ISC
`default_nettype none

module link_guard_table;
    reg           clk = 1'b0;
    reg [8:0]     in;
    reg [2047:0]  reached = 2048'd0;
    reg [10:0]    states [0:2047];
    reg [10:0]    state;
    wire [3:0]    word_out;
    wire          wait_in;
    integer       count, at, i;

    link_guard #(.WORD_WIDTH(1)) guard (
        .clk(clk), .sender_reset(in[8]), .word_in(in[3:0]), .wait_in(wait_in), .link_down(in[6]), .damaged(in[5]),
        .receiver_reset(in[7]), .word_out(word_out), .wait_out(in[4]));

    task reach(input [10:0] next);
        if (!reached[next]) begin
            reached[next] = 1'b1;
            states[count] = next;
            count = count + 1;
        end
    endtask

    task clock;
        begin
            #1 clk = 1'b1;
            #1 state = {guard.kept[3:1], guard.holds, guard.pending, guard.owes, guard.receiver_within, guard.sender_within,
                        guard.swallows, guard.seen, guard.kept[0]};
            clk = 1'b0;
        end
    endtask

    initial begin
        // At power-on all flops and inputs are unknown, and both ends are in reset. All but the word is known behind it.
        count = 0;
        in = 9'b11xxxxxxx;
        clock;
        if (state[10:1] !== 10'd0) $display("the state behind power-on is not known: %b", state);
        reach(11'd0);
        reach(11'd1);
        for (at = 0; at < count; at = at + 1)
            for (i = 0; i < 512; i = i + 1) begin
                {guard.kept[3:1], guard.holds, guard.pending, guard.owes, guard.receiver_within, guard.sender_within,
                 guard.swallows, guard.seen, guard.kept[0]} = states[at];
                in = i[8:0];
                #1 $write("%h %h %h ", states[at], in, {word_out, wait_in});
                clock;
                $display("%h", state);
                reach(state);
            end
        $finish;
    end
endmodule

`default_nettype wire
