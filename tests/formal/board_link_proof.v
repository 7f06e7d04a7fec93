// board_link whole, for one of its links, whatever the cables carry and whatever the other links do (X1). Memory and receivers
// are any_memory.v and any_receiver.v.
//
// What holds (the assertions marked with a letter):
//   A  the fabric gets packets that begin with a word and end with one terminator; a word is shown only while the fabric
//      takes it
//   B  a word of the fabric leaves within five rounds of 36 bit times, unless the far end's last report is *stop* and the link is
//      up; that lasts for 6144 periods at most
//   C  33 rounds behind the last good frame the link is down, and no packet is open
// The other assertions are the induction's: they relate the engine's registers, memory and time table to each other.
//
// Assumed: the fabric shows a word until it is taken, and its input turns to `wait` only behind a word (net_output and net_input,
// proved elsewhere); a reset of the fabric comes with that of the links, and lasts two of its clocks.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module board_link_proof #(
    parameter RATIO = 1
) (
    input wire        clk,
    input wire        reset,
    input wire        fabric_reset,
    input wire [75:0] any_link_out,
    input wire [3:0]  any_link_in_wait,
    input wire        request,
    input wire        we,
    input wire [7:0]  wdata,
    input wire [15:0] site_number
);
    (* anyconst *) reg [1:0] watched;

    // Names inside the design.
    (* hierconn *) wire [1:0]  \link.engine.link_memory.watched ;
    (* hierconn *) wire [15:0] \link.engine.link_memory.state ;
    (* hierconn *) wire [7:0]  \link.engine.link_memory.flags ;
    (* hierconn *) wire [12:0] \link.engine.link_memory.periods ;
    (* hierconn *) wire [47:0] \link.engine.link_memory.tags ;
    (* hierconn *) wire [15:0] \link.engine.left ;
    (* hierconn *) wire [15:0] \link.engine.right ;
    (* hierconn *) wire [3:0]  \link.engine.write_place ;
    (* hierconn *) wire [3:0]  \link.engine.read_place ;
    (* hierconn *) wire        \link.engine.open ;
    (* hierconn *) wire        \link.engine.alive ;
    (* hierconn *) wire [1:0]  \link.engine.proof ;
    (* hierconn *) wire        \link.engine.stopped ;
    (* hierconn *) wire        \link.engine.status ;
    (* hierconn *) wire [1:0]  \link.engine.seen ;
    (* hierconn *) wire        \link.engine.received ;
    (* hierconn *) wire        \link.engine.checks_before ;
    (* hierconn *) wire        \link.engine.gives_up ;
    (* hierconn *) wire        \link.engine.verdict.good ;
    (* hierconn *) wire        \link.engine.verdict.times_out ;
    (* hierconn *) wire        \link.engine.accepts_now ;
    (* hierconn *) wire [1:0]  \link.flushing ;
    (* hierconn *) wire [1:0]  \link.phase ;
    (* hierconn *) wire [1:0]  \link.link ;
    (* hierconn *) wire [1:0]  \link.link_before ;
    (* hierconn *) wire        \link.sends ;
    (* hierconn *) wire        \link.accepts ;
    (* hierconn *) wire        \link.round_ends ;
    (* hierconn *) wire        \link.starting ;
    (* hierconn *) wire [3:0]  \link.schedule.operation ;
    (* hierconn *) wire [1:0]  \link.schedule.turn ;
    (* hierconn *) wire [3:0]  \link.schedule.round ;
    (* hierconn *) wire [3:0]  \link.ports.shown ;
    (* hierconn *) wire        \link.ports.links[0].used.opens ;
    (* hierconn *) wire        \link.ports.links[1].used.opens ;
    (* hierconn *) wire        \link.ports.links[2].used.opens ;
    (* hierconn *) wire        \link.ports.links[3].used.opens ;
    assign \link.engine.link_memory.watched = watched;
    wire [15:0] state     = \link.engine.link_memory.state ;
    wire [7:0]  flags     = \link.engine.link_memory.flags ;
    wire [12:0] periods   = \link.engine.link_memory.periods ;
    wire [47:0] tags      = \link.engine.link_memory.tags ;
    wire [15:0] left      = \link.engine.left ;
    wire [1:0]  phase     = \link.phase , link_now = \link.link , link_before = \link.link_before , turn = \link.schedule.turn ;
    wire [3:0]  operation = \link.schedule.operation , round = \link.schedule.round ;
    wire        sends     = \link.sends , received = \link.engine.received , starting = \link.starting ;
    wire        accepts   = \link.accepts , gives_up = \link.engine.gives_up ;
    wire [1:0]  flushing  = \link.flushing ;
    wire [3:0]  opens     = {\link.ports.links[3].used.opens , \link.ports.links[2].used.opens ,
                             \link.ports.links[1].used.opens , \link.ports.links[0].used.opens };
    wire        shown     = \link.ports.shown [watched];

    // The fabric.
    reg  [2:0]  tag_out;
    reg         in_wait;
    wire [75:0] link_out, link_in;
    wire [3:0]  link_out_wait, link_in_wait, link_down, hears;
    genvar l;
    generate
        for (l = 0; l < 4; l = l + 1) begin : links
            assign link_out[19*l +: 19] = {watched == l ? tag_out : any_link_out[19*l + 16 +: 3], any_link_out[19*l +: 16]};
            assign link_in_wait[l] = watched == l ? in_wait : any_link_in_wait[l];
        end
    endgenerate

    board_link #(.RATIO(RATIO)) link (
        .clk(clk), .reset(reset), .fabric_reset(fabric_reset), .line_in(4'd0), .line_out(), .link_out(link_out),
        .link_out_wait(link_out_wait), .link_in(link_in), .link_in_wait(link_in_wait), .hears(hears), .link_down(link_down),
        .site_number(site_number), .request(request), .we(we), .wdata(wdata), .rdata());

    function ends(input [2:0] tag);
        ends = tag == `POSTROAD_TAG_END_OF_PACKET || tag == `POSTROAD_TAG_ABORT_PACKET;
    endfunction

    wire [2:0] tag_in   = link_in[19*watched + 16 +: 3];
    wire       out_wait = link_out_wait[watched];
    wire       down     = link_down[watched];
    wire       step     = RATIO == 1 || (RATIO == 2 ? phase[0] : phase == 2'd3);

    // The state of the link, which the registers have in the clock before it is written.
    wire       served    = link_before == watched && received;   // in the operation before
    wire       concludes = phase == 2'd0 && served;
    wire       pending   = phase == 2'd1 && served;
    wire [3:0] registers_write = \link.engine.write_place , registers_read = \link.engine.read_place ;
    wire       registers_open = \link.engine.open , registers_alive = \link.engine.alive ;
    wire       registers_stopped = \link.engine.stopped ;
    wire [1:0] registers_proof = \link.engine.proof ;
    wire       stopped   = pending ? registers_stopped : state[13];
    wire       alive     = pending ? registers_alive : state[11];
    wire [1:0] proof     = pending ? registers_proof : state[10:9];
    wire       open      = pending ? registers_open : state[8];
    wire [3:0] read_place  = pending ? registers_read : state[7:4];
    wire [3:0] write_place = pending ? registers_write : state[3:0];
    wire [3:0] level     = write_place - read_place;

    // Of the fabric: within a packet; how long it has been in reset.
    reg        started = 1'b0, step_before, fabric_reset_before;
    reg        in_packet;
    reg  [1:0] reset_clocks;
    // The link has been served since the last reset: of the fabric, of the links.
    reg        flushed, lived;
    wire       unserved = turn == 2'd0 && (operation < 4'd5 + watched || (operation == 4'd5 + watched && phase == 2'd0));
    // With the word that is shown.
    wire       in_packet_now = shown && phase != 2'd0 ? !ends(tag_in) : in_packet;

    // Ends of periods and of rounds since the last good frame.
    reg  [1:0] quiet;
    reg  [5:0] age;
    wire       good = \link.engine.verdict.good && !\link.engine.verdict.times_out ;
    wire [5:0] rounds_quiet = {quiet, 4'd0} + (round == 4'd0 && unserved ? 6'd16 : {2'd0, round});

    // Rounds that the word shown waits for a frame, and frames that began without it.
    reg  [2:0] rounds, missed;
    wire       due   = |tag_out && out_wait && (down || !stopped);
    wire       mine  = sends && link_now == watched;
    wire       leads = mine && operation == 4'd3;
    wire       lead_passed = turn > watched || (turn == watched && (operation > 4'd3 || (operation == 4'd3 && phase == 2'd3)));
    wire [1:0] turns = turn - watched;
    wire       framed = turns == 2'd0 ? lead_passed : turns == 2'd1 ||
                        (turns == 2'd2 && (operation == 4'd0 || (operation == 4'd1 && (phase != 2'd3 || accepts))));
    wire       leaves = accepts && phase == 2'd3 && mine;

    // Periods that began while the far end has stopped the link.
    reg  [12:0] held;
    wire        holds = stopped && !down;
    wire        giving_up = gives_up && (phase == 2'd3 ? mine : phase == 2'd0 && link_before == watched);
    wire [12:0] patience = periods - {flags[7:6], 11'd0};

    integer p;
    reg [3:0] place;
    always @(posedge clk) begin
        started             <= 1'b1;
        step_before         <= step || reset;
        fabric_reset_before <= fabric_reset;
        if (!started) assume (reset);
        if (reset) assume (fabric_reset);
        if (started && !step_before) assume (fabric_reset == fabric_reset_before);
        if (started && reset_clocks == 2'd1) assume (fabric_reset);

        if (!fabric_reset) reset_clocks <= 2'd0;
        else if (step || reset) reset_clocks <= reset_clocks + {1'b0, reset_clocks != 2'd2};
        if (fabric_reset) begin
            tag_out   <= 3'd0;
            in_wait   <= 1'b1;
            in_packet <= 1'b0;
            flushed   <= 1'b0;
        end else begin
            if (step) begin
                if (tag_out == 3'd0 || !out_wait) tag_out <= any_link_out[18:16];
                in_wait <= any_link_in_wait[0] && (in_wait || |tag_in);
                if (|tag_in && !in_wait) in_packet <= !ends(tag_in);
            end
            if (concludes && |flushing) flushed <= 1'b1;
        end
        if (reset) begin
            lived <= 1'b0;
            quiet <= 2'd2;
            age   <= 6'd0;
        end else begin
            if (concludes) lived <= 1'b1;
            if (concludes) quiet <= good ? 2'd0 : quiet + {1'b0, \link.engine.checks_before && quiet != 2'd2};
            age <= concludes && good ? 6'd0 : age + {5'd0, \link.round_ends && age != 6'd63};
        end
        if (fabric_reset || !due) {rounds, missed} <= 6'd0;
        else begin
            rounds <= rounds + {2'd0, \link.round_ends };
            if (leads && phase == 2'd2 && !(|flushing) && !\link.engine.accepts_now ) missed <= missed + 3'd1;
        end
        if (reset || !holds) held <= 13'd0;
        else if (leads && phase == 2'd2 && round == 4'd0) held <= held + 13'd1;

        if (started) begin
            // A. What the fabric gets.
            if (!fabric_reset && shown) assert (!in_wait && |tag_in && (in_packet || !ends(tag_in)));
            if (!shown) assert (tag_in == 3'd0);
            // B. What the fabric sends.
            assert (rounds <= 3'd4 && held <= 13'd6144);
            // C. A cable that is silent, or nothing but noise.
            if (age >= 6'd33 && lived) assert (down);
            if (age >= 6'd33 && flushed) assert (!open);

            // The time table.
            assert (operation <= 4'd8 && sends == (operation < 4'd4) && link_now == turn + operation[1:0] + {1'b0, sends});
            if (operation >= 4'd5) assert (received && link_before == link_now - 2'd1);
            else if (operation != 4'd0) assert (!received && link_before == link_now - {1'b0, sends});
            else if (received) assert (link_before == link_now - 2'd2);
            if (received) assert (\link.engine.checks_before == (round == 4'd0 && turn == 2'd0 && operation >= 4'd5));
            // Flushes.
            assert (flushing != 2'b10 && (!starting || flushing == 2'b11));
            if (flushing == 2'b01 && !flushed) assert (unserved);
            if (flushing == 2'b00) assert (flushed);
            if (!flushed) assert (!in_packet);
            if (|flushing && shown) assert (fabric_reset && reset_clocks <= 2'd1);
            if (!flushed && shown) assert (fabric_reset && reset_clocks <= 2'd1);
            if (|flushing && flushed) assert (!open && level == 4'd0 && !in_packet && !shown);
            if (reset_clocks != 2'd0) assert (flushing == 2'b11 && !flushed);
            if (starting && !lived) assert (unserved);
            if (!starting) assert (lived);
            if (starting || !lived) assert (down);
            // Registers and memory.
            if (phase == 2'd1 && link_now == watched) assert (left == state);
            if (phase[1] && link_now == watched) assert (registers_stopped == state[13]);
            if ((phase[1] && link_now == watched && !sends) || concludes)
                assert ({registers_stopped, registers_alive, registers_proof, registers_open, registers_read, registers_write} ==
                        {state[13], state[11:0]});
            if (phase == 2'd2 && mine) assert (left[7:0] == flags && \link.engine.right [12:0] == periods);
            // The queue.
            if (flushed) begin
                assert (level <= 4'd13 && (!open || level <= 4'd12));
                for (p = 0; p < 16; p = p + 1) begin
                    place = p[3:0] - read_place;
                    if (place < level) begin
                        assert (tags[3*p +: 3] != 3'd0);
                        if (ends(tags[3*p +: 3])) assert (place == 4'd0 ? in_packet_now : !ends(tags[3*((p + 15) % 16) +: 3]));
                        if (place + 4'd1 == level) assert (open == !ends(tags[3*p +: 3]));
                    end
                end
                if (level == 4'd0) assert (open == in_packet_now);
                if (!alive) assert (!open);
                if (phase == 2'd3 && link_now == watched && !sends && level != 4'd0)
                    assert (left[7:5] == tags[3*read_place +: 3]);
                if (concludes && \link.engine.seen == 2'd0 && !(\link.engine.status && !alive))
                    assert (left[7:5] == tags[3*write_place +: 3]);
            end
            if (|\link.ports.shown ) begin
                assert (\link.ports.shown == 4'd1 << link_before && received && (RATIO == 4 || phase < RATIO));
            end
            if (shown && flushed) assert (!in_wait);
            if (shown && flushed && phase == 2'd0) assert (level != 4'd0 && tag_in == tags[3*read_place +: 3]);
            // Good frames.
            assert (quiet == 2'd2 || (quiet != 2'd3 && age <= rounds_quiet));
            if (lived) begin
                if (quiet != 2'd0 && alive) assert (!proof[0] && quiet == 2'd1);
                if (!alive) assert (down);
                assert (hears[watched] == alive);
            end
            if (starting) assert (!hears[watched]);
            // Words of the fabric.
            if (due) begin
                assert (missed <= 3'd2);
                if (flushing == 2'b11) assert (rounds == 3'd0);
                if (|flushing) assert (rounds <= 3'd1 && missed == 3'd0);
                if (!lead_passed) assert (rounds <= missed + 3'd2);
                if (lead_passed && !(|flushing)) assert (rounds <= missed + 3'd1 || leaves);
                if (missed != 3'd0 && flags[1]) assert (framed);
                if (missed == 3'd1) assert (leaves || flags[1] || !flags[0]);
                if (missed == 3'd2) assert (leaves || flags[1]);
            end
            if (flushing == 2'b01 && lead_passed) assert (!flags[1]);
            if (flags[1] && framed && !(|flushing) && !fabric_reset) assert (|tag_out);
            if (opens[watched] || (leaves && operation != 4'd1)) assert (!flags[1] || !framed || |flushing);
            if (leaves && !fabric_reset) assert (|tag_out);
            if (|opens) assert (opens == 4'd1 << link_before && !received && operation != 4'd0 && (RATIO == 4 || phase < RATIO));
            if (!sends && phase == 2'd3) assert (!accepts);
            // Patience.
            if (holds) assert (held <= patience || (held == 13'd1 && giving_up));
            if (holds && held != 13'd0 && patience >= 13'd6144)
                assert (giving_up ||
                        (patience == 13'd6144 && (turns == 2'd0 ? lead_passed :
                                                  turns == 2'd1 && operation <= 4'd2 && (operation < 4'd2 || phase <= 2'd2))));
        end
    end
endmodule

`default_nettype wire
