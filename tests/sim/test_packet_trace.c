/* Traces of packets: what the readers of text and netrace make of good files, and of bad ones; which packet a player
 * sends when, and what waits. The last test is a fuzzer of both readers: whatever comes in, the packets of a trace that
 * is accepted can be sent on the mesh, and all of them are sent.
 *
 * Environment: SEED, FUZZ_RUNS (default 4000).
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "check.h"
#include "mutate_text.h"
#include "workload/netrace.h"
#include "workload/trace_file.h"
#include "workload/trace_player.h"
#include "workload/traffic.h"

#include <string.h>
#include <unistd.h>

enum { TEXT_MOST = 70000, ALL = 1000 };

static struct mesh_config mesh;
static char path[] = "/tmp/packet-trace.XXXXXX", error[400];

static void write_file(const void *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(bytes, 1, length, file) == length && fclose(file) == 0);
}

static struct packet_trace *load(const void *bytes, size_t length, struct trace_file_options options)
{
    options.path = path;
    write_file(bytes, length);
    *error = 0;
    return trace_file_load(&mesh, &options, error, sizeof error);
}

static struct packet_trace *load_text(const char *text)
{
    return load(text, strlen(text), (struct trace_file_options){.most = ALL});
}

static void expect_refusal(struct packet_trace *trace, const char *reason)
{
    check(!trace && strncmp(error, path, strlen(path)) == 0 && strstr(error, reason), "'%s', expected '%s'", error,
          reason);
    packet_trace_free(trace);
}

/* "CLOCK:SOURCE>TARGET,TARGET+WORDS ...", in the order in which a player sends the packets, each of which arrives
 * `transit` clocks later. */
static const char *play(const struct packet_trace *trace, unsigned transit)
{
    enum { FLYING = 64 };
    static char text[2000];
    struct trace_player *player = trace_player_create(trace);
    uint64_t clock, arrivals[FLYING];
    unsigned sent = 0, arrived = 0;
    size_t used = 0;
    *text = 0;
    while (arrived < trace->count && arrived < FLYING) {
        if (arrived < sent && arrivals[arrived] < trace_player_clock(player)) {
            trace_player_arrived(player, arrived, arrivals[arrived]);
            arrived++;
            continue;
        }
        if (trace_player_clock(player) == UINT64_MAX)
            break;
        const struct trace_packet *packet = trace_player_next(player, &clock);
        arrivals[sent++] = clock + transit;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%llu:%u", used ? " " : "",
                                 (unsigned long long)clock, packet->source);
        for (unsigned i = 0; i < packet->target_count; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%c%u", i ? ',' : '>',
                                     trace->targets[packet->first_target + i]);
        used += (size_t)snprintf(text + used, sizeof text - used, "+%u", packet->data_words);
    }
    trace_player_free(player);
    return text;
}

/* Frees the trace. */
static void expect_play(struct packet_trace *trace, const char *wanted)
{
    const char *found = trace ? play(trace, 5) : error;
    check(strcmp(found, wanted) == 0, "%s\n    expected %s", found, wanted);
    packet_trace_free(trace);
}

static void test_text(void)
{
    expect_play(load_text("0 0 5 8"), "0:0>5+8");
    expect_play(load_text("# nothing\n\n \t\n0 0 5 8 # comment\r\n10\t3 1,2,7   0\n"), "0:0>5+8 10:3>1,2,7+0");
    expect_play(load_text("9 1 1 1\n3 2 2 2\n3 0 0 3\n"), "3:2>2+2 3:0>0+3 9:1>1+1");
    expect_play(load_text("999999999999999999 1 1 1\n"), "999999999999999999:1>1+1");
    struct packet_trace *trace = load_text("0 0 5,6 8\n0 1 2 0\n");
    CHECK(trace && trace->most_targets == 2 && trace->words == (2 + 3 + 8 + 1) + (1 + 3 + 0 + 1));
    packet_trace_free(trace);
    expect_play(load("0 0 1 1\n1 0 1 1\n2 0 1 1\n", 24, (struct trace_file_options){.most = 2}), "0:0>1+1 1:0>1+1");
}

static void test_waiting(void)
{
    expect_play(load_text("0 0 1 1\n1 1 2 1 after 0\n20 2 3 1 after 0\n"), "0:0>1+1 6:1>2+1 20:2>3+1");
    expect_play(load_text("0 0 1 1\n8 1 2 1\n0 2 3 1 after 0,1\n0 3 4 1 after 2\n"),
                "0:0>1+1 8:1>2+1 14:2>3+1 20:3>4+1");
    expect_play(load_text("0 0 1 1\n0 1 2 1 after 0,0\n"), "0:0>1+1 6:1>2+1");
    static const char text[] = "0 0 1 1\n1 1 2 1 after 0\n";
    expect_play(load(text, sizeof text - 1, (struct trace_file_options){.most = ALL, .independent = true}),
                "0:0>1+1 1:1>2+1");
}

static void test_bad_text(void)
{
    static const char *const cases[][2] = {
        {"", "no packets, expected at least one"},
        {"# only a comment\n", "no packets"},
        {"x 0 5 8", ":1: 'x': expected the number of a clock"},
        {"0 0 5 8\n\n-1 0 5 8", ":3: '-1': expected the number of a clock"},
        {"1000000000000000000 0 5 8", "expected the number of a clock"},
        {"0", "'': expected the number of the sending site"},
        {"0 16 5 8", ":1: source 16, expected the number of a site of this mesh"},
        {"0 0", "'': expected the numbers of targets"},
        {"0 0 5,,6 8", "expected the numbers of targets"},
        {"0 0 16 8", "target 16, expected the number of a site of this mesh"},
        {"0 0 5,9,5 8", "second target 5, expected different targets"},
        {"0 0 5", "'': expected a number of data words"},
        {"0 0 5 61", "data words: 61, expected at most max_packet"},
        {"0 0 5 8 behind 0", "'behind': expected the end of the line, or `after`"},
        {"0 0 5 8 after", "'': expected the numbers of earlier packets"},
        {"0 0 5 8 after 0", "wait for packet 0, expected the number of an earlier packet"},
        {"0 0 5 8\n0 0 5 8 after 0 1", "'1': expected the end of the line"},
        {"0 0 5 8\n0 0 5 8 after 99999999999", "wait for packet 99999999999, expected"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_refusal(load_text(cases[i][0]), cases[i][1]);
    static char line[10000];
    memset(line, '1', sizeof line - 1);
    expect_refusal(load_text(line), ":1: line too long");
    expect_refusal(load("0 0\0 5 8", 8, (struct trace_file_options){.most = ALL}),
                   "'0?': expected the number of the sending");
    struct trace_file_options none = {.path = "/tmp/no/such/file", .most = ALL};
    check(!trace_file_load(&mesh, &none, error, sizeof error) &&
              strcmp(error, "/tmp/no/such/file: No such file or directory") == 0,
          "%s", error);
}

/* A netrace file in the making. */
static uint8_t file[4096];
static size_t file_length;

static void put(uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        file[file_length++] = (uint8_t)(value >> 8 * i);
}

static void put_header(unsigned nodes, unsigned notes, unsigned regions)
{
    file_length = 0;
    put(NETRACE_MAGIC, 4);
    put(NETRACE_VERSION, 4);
    for (unsigned i = 0; i < 30; i++)
        put(i < 4 ? (uint64_t) "test"[i] : 0, 1);
    put(nodes, 1);
    put(0, 1);
    put(1000, 8);
    put(3, 8);
    put(notes, 4);
    put(regions, 4);
    put(0, 8);
    for (unsigned i = 0; i < notes; i++)
        put('n', 1);
}

static void put_region(uint64_t offset)
{
    put(offset, 8);
    put(500, 8);
    put(1, 8);
}

static void put_packet(uint64_t cycle, uint32_t id, unsigned type, unsigned source, unsigned destination,
                       unsigned dependents)
{
    put(cycle, 8);
    put(id, 4);
    put(0xdeadbeef, 4);
    put(type, 1);
    put(source, 1);
    put(destination, 1);
    put(0, 1);
    put(dependents, 1);
}

enum { READ_REQUEST = 1, READ_RESPONSE = 2 };

/* Three packets in two regions: the request, its response, which waits for it and for a packet that is not in the file,
 * and a request that waits for the response. */
static void put_example(void)
{
    put_header(16, 7, 2);
    put_region(0);
    put_region(NETRACE_PACKET + 8 + NETRACE_PACKET + 4);
    put_packet(1000, 70, READ_REQUEST, 3, 9, 2);
    put(4000000000, 4);
    put(12345, 4);
    put_packet(1002, 4000000000, READ_RESPONSE, 9, 3, 1);
    put(71, 4);
    put_packet(1050, 71, READ_REQUEST, 3, 3, 0);
}

static struct packet_trace *load_netrace(struct trace_file_options options)
{
    options.most = options.most ? options.most : ALL;
    return load(file, file_length, options);
}

static const char example_played[] = "0:3>9+4 6:9>3+36 50:3>3+4";

static void test_netrace(void)
{
    put_example();
    expect_play(load_netrace((struct trace_file_options){0}), example_played);
    expect_play(load_netrace((struct trace_file_options){.independent = true}), "0:3>9+4 2:9>3+36 50:3>3+4");
    expect_play(load_netrace((struct trace_file_options){.region = 1}), "0:3>3+4");
    expect_play(load_netrace((struct trace_file_options){.most = 1}), "0:3>9+4");
    mesh.word_width = 32;
    expect_play(load_netrace((struct trace_file_options){0}), "0:3>9+2 6:9>3+18 50:3>3+2");
    mesh.word_width = 16;
}

/* Every beginning of the file is refused, unless it ends between two packets. */
static void test_truncated(void)
{
    static char wanted[2000];
    put_example();
    const size_t whole = file_length, header = NETRACE_HEADER + 7 + 2 * NETRACE_REGION;
    const size_t first = header + NETRACE_PACKET + 8, second = first + NETRACE_PACKET + 4;
    for (size_t length = 1; length < whole; length++) {
        struct packet_trace *trace = load(file, length, (struct trace_file_options){.most = ALL});
        unsigned packets = length == first ? 1 : length == second ? 2 : 0;
        snprintf(wanted, sizeof wanted, "%s",
                 length < NETRACE_HEADER ? "neither text nor netrace"
                 : length < header       ? "ends within its header"
                 : length == header      ? "no packets"
                 : length < first        ? "ends within packet 0"
                 : length < second       ? "ends within packet 1"
                                         : "ends within packet 2");
        if (packets)
            check(trace && trace->count == packets, "%zu bytes: '%s', expected %u packets", length, error, packets);
        else
            check(!trace && strstr(error, wanted), "%zu bytes: '%s', expected '%s'", length, error, wanted);
        packet_trace_free(trace);
    }
    expect_refusal(load_netrace((struct trace_file_options){.region = 2}), "region 2: expected one of its 2 regions");
}

static void test_bad_netrace(void)
{
    put_example();
    file[NETRACE_HEADER_VERSION]++;
    expect_refusal(load_netrace((struct trace_file_options){0}), "another version of netrace");
    put_header(17, 0, 0);
    expect_refusal(load_netrace((struct trace_file_options){0}), "has 17 nodes, expected a mesh of as many sites");
    put_header(16, 0, 101);
    expect_refusal(load_netrace((struct trace_file_options){0}), "damaged header");
    put_header(16, 0, 0);
    put_packet(0, 1, 7, 0, 1, 0);
    expect_refusal(load_netrace((struct trace_file_options){0}), "packet 0: type 7, expected a type of netrace");
    put_header(16, 0, 0);
    put_packet(0, 1, 1, 0, 16, 0);
    expect_refusal(load_netrace((struct trace_file_options){0}), "packet 0: target 16, expected the number of a site");
    put_header(16, 0, 0);
    put_packet(0, 1, 1, 0, 1, 0);
    put_packet(0, 1, 1, 0, 1, 0);
    expect_refusal(load_netrace((struct trace_file_options){0}), "two packets have the id 1");
    put_header(16, 0, 0);
    put_packet(0, 1, 1, 0, 1, 0);
    put_packet(0, 2, 1, 0, 1, 1);
    put(1, 4);
    expect_refusal(load_netrace((struct trace_file_options){0}),
                   "packet 0 waits for packet 1, expected an earlier one");
}

/* `length` bytes of file[] from `from`, as a compressed stream behind those in `out`. */
static size_t compress_piece(size_t from, size_t length, char *out, size_t used)
{
    unsigned room = TEXT_MOST - (unsigned)used;
    CHECK(BZ2_bzBuffToBuffCompress(out + used, &room, (char *)file + from, (unsigned)length, 1, 0, 0) == BZ_OK);
    return used + room;
}

static void test_compressed(void)
{
    static char compressed[TEXT_MOST];
    put_example();
    struct trace_file_options all = {.most = ALL};
    size_t length = compress_piece(0, file_length, compressed, 0);
    expect_play(load(compressed, length, all), example_played);
    for (size_t cut = 4; cut < length; cut++)
        expect_refusal(load(compressed, cut, all), "its compressed data is damaged or incomplete");
    compressed[length / 2] ^= 1;
    expect_refusal(load(compressed, length, all), "its compressed data is damaged or incomplete");
    length = compress_piece(0, 100, compressed, 0);
    length = compress_piece(100, file_length - 100, compressed, length);
    expect_play(load(compressed, length, all), example_played);
    compressed[length] = 'x';
    expect_refusal(load(compressed, length + 1, all), "its compressed data is damaged or incomplete");
}

/* What other code relies on: sizes, sites, and that every packet is sent once what it waits for has arrived. */
static bool sound(const struct packet_trace *trace)
{
    struct trace_player *player = trace_player_create(trace);
    uint64_t clock, last = 0, sent = 0;
    bool good = trace->count > 0 && player;
    for (; good && trace_player_clock(player) != UINT64_MAX; sent++) {
        const struct trace_packet *packet = trace_player_next(player, &clock);
        good = clock >= last && clock >= packet->clock && packet->source < (unsigned)mesh.sites &&
               packet->target_count && packet->target_count <= trace->most_targets &&
               (unsigned)packet->target_count + TRAFFIC_HEADER_WORDS + packet->data_words <= mesh.max_packet;
        for (unsigned i = 0; good && i < packet->target_count; i++)
            good = trace->targets[packet->first_target + i] < (uint32_t)mesh.sites;
        trace_player_arrived(player, sent, clock);
        last = clock;
    }
    trace_player_free(player);
    return good && sent == trace->count;
}

static void test_fuzz(void)
{
    static const char *const texts[] = {"0 0 5 8\n10 3 1,2,7 4\n20 5 0 2 after 0,1\n# end\n",
                                        "7 7 7 7\n8 8 8 8 after 0\n"};
    static char buffer[sizeof file];
    const char *runs_text = getenv("FUZZ_RUNS");
    long runs = runs_text ? atol(runs_text) : 4000;
    uint64_t state = check_seed();
    unsigned accepted = 0;
    for (long run = 0; run < runs; run++) {
        put_example();
        size_t length = file_length;
        if (run % 2) {
            const char *text = texts[check_below(&state, 2)];
            length = strlen(text);
            memcpy(buffer, text, length);
        } else
            memcpy(buffer, file, length);
        for (unsigned edits = 1 + check_below(&state, 3); edits > 0; edits--)
            if (run % 2)
                length = mutate_text(&state, texts, 2, buffer, length, sizeof buffer);
            else
                buffer[check_below(&state, (unsigned)length)] ^= (char)(1 << check_below(&state, 8));
        struct packet_trace *trace = load(buffer, length, (struct trace_file_options){.most = ALL});
        accepted += trace != NULL;
        check(trace ? sound(trace) : strncmp(error, path, strlen(path)) == 0, "run %ld: %s", run, error);
        packet_trace_free(trace);
    }
    check(runs < 100 || accepted > runs / 20, "%u of %ld accepted", accepted, runs);
}

int main(void)
{
    static const char text[] = "[mesh]\ntopology = grid\nsize = 4x4\n[buffers]\nmax_packet = 64\n";
    int descriptor = mkstemp(path);
    CHECK(descriptor >= 0 && close(descriptor) == 0);
    CHECK(mesh_config_parse("trace.mesh", text, strlen(text), &mesh, error, sizeof error) == 0);
    RUN(test_text);
    RUN(test_waiting);
    RUN(test_bad_text);
    RUN(test_netrace);
    RUN(test_truncated);
    RUN(test_bad_netrace);
    RUN(test_compressed);
    RUN(test_fuzz);
    unlink(path);
    return verdict("packet_trace");
}
