// SPDX-License-Identifier: ISC
// receivers.vh: the operators of all sites as they receive, included inside a module behind bench.vh and tags.vh, and behind
// SITES, W, TAGGED, the ports receive and receive_wait, next_number, and the rules that are at stake: FRAMED, that words stand in
// packets, and SENT, that packets are those that were sent. The first word of a packet behind its address is its number.
//
//   look(at)            what this site has got in this clock
// What the module has for it:
//   due_word(at, number, index, info)    a word of packet `number` at this site, the first one has index 0
//   finish_packet(at)                    one has ended well: got_*[at] and right[at] say what it was
integer got_words [0:SITES-1], got_infos [0:SITES-1], got_number [0:SITES-1], got_site [0:SITES-1], aborted;
reg [SITES-1:0] open, right;
reg stirs;  // some word has moved

task take_word(input integer at, input info, input [W-1:0] word);
    begin
        if (got_words[at] == 0) got_number[at] = word;
        if (word != due_word(at, got_number[at], got_words[at], info)) right[at] = 1'b0;
        if (info) begin
            if (got_infos[at] != got_words[at]) right[at] = 1'b0;
            got_infos[at] = got_infos[at] + 1;
        end
        got_words[at] = got_words[at] + 1;
    end
endtask

task look(input integer at);
    reg [TAGGED:0] shown;
    reg [2:0] tag;
    begin
        shown = receive[(TAGGED+1)*at +: TAGGED+1];
        tag   = shown[W +: 3];
        if (tag != 3'd0 && !receive_wait[at]) begin
            stirs = 1'b1;
            if (tag == UNICAST) begin
                check(!open[at], {FRAMED, " a packet begins behind the end of another"});
                {open[at], right[at]} = 2'b11;
                got_site[at] = shown[W-1:0];
                {got_words[at], got_infos[at], got_number[at]} = 96'd0;
            end else begin
                check(open[at], {FRAMED, " words stand in packets"});
                open[at] = tag == INFO || tag == DATA;
                if (open[at]) take_word(at, tag == INFO, shown[W-1:0]);
                else if (tag == ABORT_PACKET) aborted = aborted + 1;
                else if (got_words[at] == 0 || got_number[at] >= next_number)
                    check(1'b0, {SENT, " a packet is one that was sent"});
                else finish_packet(at);
            end
        end
    end
endtask
