// line_tb: line_sender and line_receiver with clocks of their own. Every frame arrives byte by byte at every phase of the clocks,
// with deviations of 2000 ppm; bytes stay as long as they must; short pulses start no frame; a line that is not idle behind a
// frame spoils its last byte; after any noise an idle line is enough to receive again.
// SPDX-License-Identifier: ISC
`default_nettype none

module line_tb;
    `include "bench.vh"

    reg        near = 1'b0, far = 1'b0, reset = 1'b1;
    real       half = 500.0, far_half = 500.0;
    reg  [1:0] phase = 2'd0;
    reg        load = 1'b0, start = 1'b0, noise = 1'b0, noisy = 1'b0, late = 1'b0;
    reg  [7:0] value = 8'd0;
    wire       line;
    wire [7:0] got;
    wire [1:0] progress;

    line_sender sender (
        .clk(near), .reset(reset), .step(phase == 2'd3), .load(load), .start(start), .value(value), .line(line));
    line_receiver receiver (.clk(far), .line(noisy ? noise : line || late), .value(got), .progress(progress));

    always #(half) near = !near;
    always #(far_half) far = !far;
    always @(posedge near) phase <= phase + 2'd1;

    // Bytes as they come; each has to stay for 32 clocks.
    reg [31:0] bytes;
    reg [1:0]  progress_before = 2'd0;
    integer    count = 0, age = 0;
    always @(posedge far) begin
        #1 age = age + 1;
        if (progress != progress_before) begin
            check(progress == ((progress_before + 1) & 3), "progress counts one by one");
            check(age >= 32 || count == 0, "a byte stays for 32 clocks");
            progress_before = progress;
            bytes = {bytes[23:0], got};
            count = count + 1;
            age = 0;
        end else if (count > 0 && age < 32) check(got == bytes[7:0], "a byte is still");
    end

    task bit_time;
        begin
            @(posedge near);
            while (phase != 2'd3) @(posedge near);
            #1;
        end
    endtask

    // The byte is loaded at the end of a bit time, and the next one 8 bit times later.
    task send(input [31:0] frame);
        integer b;
        for (b = 0; b < 4; b = b + 1) begin
            {load, start, value} = {1'b1, b == 0, frame[31 - 8*b -: 8]};
            bit_time;
            load = 1'b0;
            repeat (7) bit_time;
        end
    endtask

    task send_and_compare(input [31:0] frame);
        integer before;
        begin
            before = count;
            send(frame);
            repeat (4) bit_time;
            check(count == before + 4 && bytes == frame, "a frame arrives as it was sent");
        end
    endtask

    integer    i, j, before;
    reg [31:0] frame;
    initial begin
        begin_bench;
        repeat (200) @(posedge far);
        reset = 1'b0;
        repeat (40) bit_time;
        for (i = 0; i < 300; i = i + 1) begin
            far_half = 500.0 + (i % 5 - 2) * 0.5;   // 1000 ppm a step
            #(below(1000)) frame = i == 0 ? 32'd0 : i == 1 ? 32'hffffffff : $random(seed);
            send_and_compare(frame);
        end
        far_half = 500.0;

        // A pulse of two clocks is no start bit.
        before = count;
        for (i = 0; i < 50; i = i + 1) begin
            noise = 1'b1;
            noisy = 1'b1;
            #(100 + below(1800)) noise = 1'b0;
            repeat (40) bit_time;
        end
        noisy = 1'b0;
        check(count == before, "a short pulse starts no frame");

        // A line that does not become idle.
        for (i = 0; i < 20; i = i + 1) begin
            frame = $random(seed);
            before = count;
            fork
                send(frame);
                begin
                    repeat (34) bit_time;
                    late = 1'b1;
                    repeat (2) bit_time;
                    late = 1'b0;
                end
            join
            check(count == before + 4 && bytes == (frame ^ 32'd1), "a framing error spoils the last byte");
            repeat (80) bit_time;
        end

        for (i = 0; i < 50; i = i + 1) begin
            noisy = 1'b1;
            for (j = 0; j < 200; j = j + 1) #(200 + below(4000)) noise = $random(seed);
            noise = 1'b0;
            repeat (40) bit_time;
            noisy = 1'b0;
            send_and_compare($random(seed));
        end
        verdict;
    end
endmodule

`default_nettype wire
