// Two masters of a core, one of the bus: data accesses have priority, and fetches in a row take a clock each.
//
//   clock           0         1         2         3
//   fetch          A         A         A+1       A+2
//   bus asks       A         A+1       A+2       A+3
//   acknowledged             A         A+1       A+2
//
// While a fetch from RAM is acknowledged, the next word is asked for. If the core wants it in the clock behind, it is there; else
// it is lost, and costs nothing but an access of RAM. A data access takes the bus when it comes, and may be acknowledged beside a
// fetch that was asked for before.
// Cost: COMPARED + 2 flops, an adder, a comparator and a multiplexer of COMPARED bits, a multiplexer as wide as an access.
// SPDX-License-Identifier: ISC
`default_nettype none

module fetch_ahead #(
    parameter COMPARED = 18  // bits of a word's address in RAM, which repeats: 1 MB at most
) (
    input wire clk,

    // Fetches and data accesses: stb, adr, we and sel hold until ack.
    input  wire        fetch_stb,
    input  wire [31:2] fetch_adr,
    output wire        fetch_ack,
    input  wire        data_stb,
    input  wire        data_we,
    input  wire [31:2] data_adr,
    input  wire [3:0]  data_sel,
    output wire        data_ack,

    // The bus, see cpu_vexriscv.v.
    output wire        stb,
    output wire        we,
    output wire [31:2] adr,
    output wire [3:0]  sel,
    input  wire        ack
);
    // What was asked for in the clock before: `ack` is about this.
    reg                asked_fetch;
    reg                asked_ram;
    reg [COMPARED-1:0] asked;

    wire in_ram = fetch_adr[31];

    assign fetch_ack = ack && asked_fetch && fetch_stb && asked == fetch_adr[2 +: COMPARED] && asked_ram == in_ram;
    assign data_ack = ack && !asked_fetch;

    // The word behind is that of what was asked for, so that the adder does not wait for the comparator.
    wire                data = data_stb && !data_ack;
    wire [COMPARED-1:0] behind = asked + {{COMPARED-1{1'b0}}, 1'b1};
    wire [COMPARED-1:0] place = fetch_ack ? behind : fetch_adr[2 +: COMPARED];

    assign stb = data || (fetch_ack ? in_ram : fetch_stb);
    assign we = data && data_we;
    assign adr = data ? data_adr : {fetch_adr[31:COMPARED+2], place};
    assign sel = data ? data_sel : 4'b1111;

    always @(posedge clk) begin
        asked_fetch <= !data;
        if (!data && stb)
            {asked_ram, asked} <= {in_ram, place};
    end

`ifdef FORMAL
    // Any bus that acknowledges in the clock behind what it takes, and any core that holds what it asks for.
    (* anyseq *) reg takes;
    reg        taken = 1'b0, taken_we, fetch_waits = 1'b0, data_waits = 1'b0;
    reg [31:2] taken_adr, fetch_adr_before, data_adr_before;
    reg [3:0]  taken_sel, data_sel_before;
    reg        data_we_before;
    always @(posedge clk) begin
        taken <= stb && takes;
        {taken_adr, taken_we, taken_sel} <= {adr, we, sel};
        {fetch_waits, data_waits} <= {fetch_stb && !fetch_ack, data_stb && !data_ack};
        fetch_adr_before <= fetch_adr;
        {data_adr_before, data_we_before, data_sel_before} <= {data_adr, data_we, data_sel};
    end
    always @* begin
        assume (ack == taken);
        assume (!fetch_waits || fetch_stb && fetch_adr == fetch_adr_before);
        assume (!data_waits ||
                data_stb && {data_adr, data_we, data_sel} == {data_adr_before, data_we_before, data_sel_before});
    end

    // What is kept of the last request.
    always @* begin
        if (taken && asked_fetch) assert (!taken_we && taken_adr[2 +: COMPARED] == asked && taken_adr[31] == asked_ram);
        if (taken && asked_fetch && !asked_ram) assert (fetch_stb && taken_adr == fetch_adr);
        if (taken && !asked_fetch)
            assert (data_stb && {taken_adr, taken_we, taken_sel} == {data_adr, data_we, data_sel});
    end

    // Who is acknowledged has been asked for, and gets the word of its address; RAM repeats.
    wire same_place = taken_adr[2 +: COMPARED] == fetch_adr[2 +: COMPARED] && taken_adr[31] == fetch_adr[31];
    always @* begin
        if (fetch_ack) assert (taken && !taken_we && same_place && (fetch_adr[31] || taken_adr == fetch_adr));
        if (data_ack) assert (data_stb && {taken_adr, taken_we, taken_sel} == {data_adr, data_we, data_sel});
        // What is asked for and not acknowledged now is on the bus, data first.
        if (data_stb && !data_ack) assert (stb && {adr, we, sel} == {data_adr, data_we, data_sel});
        else if (fetch_stb && !fetch_ack) assert (stb && !we && adr == fetch_adr);
        // Nothing is read ahead but RAM, and nothing is written but by the core.
        else assert (!stb || fetch_ack && adr[31] && !we);
        // Behind a fetch from RAM comes the next word.
        if (fetch_ack && fetch_adr[31] && !data) assert (stb && adr[2 +: COMPARED] == fetch_adr[2 +: COMPARED] + 1'b1);
    end

    reg fetch_acked = 1'b0;
    always @(posedge clk) fetch_acked <= fetch_ack;
    always @* begin
        cover (fetch_acked && fetch_ack && fetch_adr == fetch_adr_before + 30'd1);
        cover (fetch_ack && data);
        cover (ack && !fetch_ack && !data_ack);
    end
`endif

endmodule

`default_nettype wire
