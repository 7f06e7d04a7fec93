// event_counters_tb: every count is exact in every clock, at any rate of events, across many sweeps and a second reset,
// with few ports and with the most, with a reader that is answered at once and with one that waits for the sweep. A count
// whose low bits are at their limit when the sweep comes is reached by events in every clock.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module event_counters_tb;
    `include "bench.vh"

    reg clk = 1'b0, reset = 1'b1;
    reg [63:0] events = 64'd0;
    reg [5:0]  select = 6'd0, select_most = 6'd0;
    wire [31:0] value_few, value_most;
    wire       ready_few, ready_most;
    integer    density = 0, waited = 0, c, i;
    reg [31:0] model_few [0:63], model_most [0:63], before_most [0:63];

    always #5 clk = !clk;

    event_counters #(.LINKS(4)) few (
        .clk(clk), .reset(reset),
        .fabric_events(events), .event_received(events[`POSTROAD_COUNTER_RECEIVED_PACKETS]),
        .event_received_aborted(events[`POSTROAD_COUNTER_RECEIVED_ABORTED]),
        .event_received_oversize(events[`POSTROAD_COUNTER_RECEIVED_OVERSIZE]),
        .event_received_discarded(events[`POSTROAD_COUNTER_RECEIVED_DISCARDED]),
        .event_receive_wait(events[`POSTROAD_COUNTER_RECEIVE_WAITS]),
        .event_sent(events[`POSTROAD_COUNTER_SENT_PACKETS]), .event_send_wait(events[`POSTROAD_COUNTER_SENT_WAITS]),
        .select(select), .value(value_few), .ready(ready_few)
    );

    event_counters #(.LINKS(15), .SWEPT_READ(1)) most (
        .clk(clk), .reset(reset),
        .fabric_events(events), .event_received(events[`POSTROAD_COUNTER_RECEIVED_PACKETS]),
        .event_received_aborted(events[`POSTROAD_COUNTER_RECEIVED_ABORTED]),
        .event_received_oversize(events[`POSTROAD_COUNTER_RECEIVED_OVERSIZE]),
        .event_received_discarded(events[`POSTROAD_COUNTER_RECEIVED_DISCARDED]),
        .event_receive_wait(events[`POSTROAD_COUNTER_RECEIVE_WAITS]),
        .event_sent(events[`POSTROAD_COUNTER_SENT_PACKETS]), .event_send_wait(events[`POSTROAD_COUNTER_SENT_WAITS]),
        .select(select_most), .value(value_most), .ready(ready_most)
    );

    localparam [63:0] USED_MOST = 64'hffff_ffff_ffff_0fff;
    localparam [63:0] USED_FEW  = 64'h001f_001f_001f_0fff;
    localparam SWEEP_MOST = 12 + 1 + 3*16;   // clocks

    task clear;
        for (i = 0; i < 64; i = i + 1) begin
            model_few[i] = 32'd0;
            model_most[i] = 32'd0;
            before_most[i] = 32'd0;
        end
    endtask

    // One clock: compares before the edge, counts at it.
    task step;
        begin
            select = below(64);
            for (i = 0; i < 64; i = i + 1) events[i] = percent(density);
            #1;
            check(value_few === model_few[select], "a count is exact");
            check(ready_few === 1'b1, "a reader with a port of its own is answered at once");
            check(!ready_most || value_most === before_most[select_most], "a count is exact with a reader that waits");
            waited = ready_most ? 0 : waited + 1;
            check(waited < SWEEP_MOST, "a reader waits for one sweep");
            @(posedge clk);
            if (ready_most) select_most = below(64);
            for (i = 0; i < 64; i = i + 1) begin
                before_most[i] = model_most[i];
                if (events[i] && USED_FEW[i]) model_few[i] = model_few[i] + 32'd1;
                if (events[i] && USED_MOST[i]) model_most[i] = model_most[i] + 32'd1;
            end
            #1;
        end
    endtask

    initial begin
        begin_bench;
        for (c = 0; c < 40; c = c + 1) begin
            if (c % 10 == 0) begin
                reset = 1'b1;
                repeat (1 + below(3)) begin
                    @(posedge clk) #1;
                    select = below(64);
                    #1 check(ready_most, "a reader does not wait for the end of a reset");
                end
                repeat (2) @(posedge clk) #1;
                select_most = below(64);
                #1 check(value_most === 32'd0, "counts are 0 in reset");
                clear;
                waited = -1;            // the first clock after a reset is none of a sweep
                reset = 1'b0;
            end
            density = c % 4 == 0 ? 100 : c % 4 == 1 ? 1 : below(101);
            repeat (20 + below(200)) step;
        end
        verdict;
    end
endmodule

`default_nettype wire
