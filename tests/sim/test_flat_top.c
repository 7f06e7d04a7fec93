/* The engine against the generated flat top: the same words and statuses on every link in every clock. At the fabric
 * level the operators' words are recorded and replayed; at the site level both run the firmware with the same console
 * input. time limit: 300 s
 */
#define _POSIX_C_SOURCE 200809L

#include "common/mesh.h"
#include "operator/cobs.h"
#include "operator/crc16.h"
#include "operator/operator.h"
#include "rtl/simulation.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FABRIC_CLOCKS = 3000, SITE_CLOCKS = 80000, MAX_BITS = 64 * 16 * 64, CONSOLE_PLACES = 4096 };

static uint64_t random_state;
static char out_directory[100]; /* of this process: two runs may not share their files */

/* A file of this run; the name lives until the fourth next call. */
static const char *out_path(const char *name)
{
    static char paths[4][200];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", out_directory, name);
    return path;
}

static unsigned below(unsigned limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(random_state >> 33) % limit;
}

static void die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

static int shell(const char *format, ...)
{
    char command[4000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    fflush(NULL);
    return system(command);
}

/* A vector of bits that is printed as one hexadecimal number, like Verilog's. */
struct bits {
    uint8_t digits[MAX_BITS / 4 + 1];
    unsigned used;
};

static void bits_add(struct bits *bits, uint64_t value, unsigned width)
{
    for (unsigned i = 0; i < width; i++, bits->used++) {
        if (bits->used % 4 == 0)
            bits->digits[bits->used / 4] = 0;
        bits->digits[bits->used / 4] |= (uint8_t)((value >> i & 1) << bits->used % 4);
    }
}

static void bits_print(struct bits *bits, FILE *out)
{
    for (unsigned i = (bits->used + 3) / 4; i-- > 0;)
        fputc("0123456789abcdef"[bits->digits[i]], out);
    fputc(' ', out);
    bits->used = 0;
}

static void print_links(struct simulation *simulation, const struct mesh_config *mesh, FILE *out)
{
    static struct bits words, waits;
    const uint64_t *shown = simulation_words(simulation);
    for (int i = 0; i < mesh->sites * mesh->links; i++) {
        bits_add(&words, shown[i], (unsigned)mesh->word_width + 3);
        bits_add(&waits, shown[i] >> 63, 1);
    }
    bits_print(&words, out);
    bits_print(&waits, out);
}

/* What the operators showed in the clock that has just run. */
static void print_operators(struct simulation *simulation, const struct mesh_config *mesh, FILE *out)
{
    static struct bits words, waits;
    for (int site = 0; site < mesh->sites; site++) {
        uint64_t sent, received;
        simulation_local_words(simulation, (unsigned)site, &sent, &received);
        bits_add(&words, sent, (unsigned)mesh->word_width + 3);
        bits_add(&waits, sent >> 63, 1);
    }
    bits_print(&words, out);
    bits_print(&waits, out);
}

static void send_something(struct simulation *simulation, const struct mesh_config *mesh)
{
    struct operator *from = simulation_operator(simulation, below((unsigned)mesh->sites));
    unsigned count = below(3) ? 1 : 2 + below(4), first = below((unsigned)mesh->sites);
    struct target targets[6] = {{0}};
    uint32_t data[8];
    uint16_t sequence;
    if (count > (unsigned)mesh->sites)
        count = (unsigned)mesh->sites;
    for (unsigned i = 0; i < count; i++)
        targets[i].site = (uint16_t)((first + i * 5) % (unsigned)mesh->sites);
    for (unsigned i = 0; i < 8; i++)
        data[i] = below(65536);
    (void)operator_send(from, targets, count, 1, data, below(9), &sequence); /* no buffer: less traffic */
}

static struct simulation *start(const struct mesh_config *mesh, enum simulation_level level, unsigned stall)
{
    char error[2000];
    struct simulation_options options = {.mesh = mesh, .level = level, .seed = random_state, .stall = stall};
    struct simulation *simulation = simulation_create(&options, error, sizeof error);
    if (!simulation)
        die("%s", error);
    return simulation;
}

static void load_mesh(const char *path, struct mesh_config *mesh)
{
    char error[2000];
    if (mesh_config_load(path, mesh, error, sizeof error))
        die("%s", error);
}

static void record_fabric(const struct mesh_config *mesh, const char *trace)
{
    struct simulation *simulation = start(mesh, LEVEL_FABRIC, below(2) ? 0 : 30);
    FILE *out = fopen(trace, "w"), *links = NULL;
    char *text = NULL;
    size_t size;
    if (!out)
        die("cannot write %s", trace);
    for (unsigned clock = 0; clock < FABRIC_CLOCKS; clock++) {
        if (clock % 8 == 0 && clock < FABRIC_CLOCKS / 2)
            send_something(simulation, mesh);
        links = open_memstream(&text, &size);
        print_links(simulation, mesh, links);
        fclose(links);
        simulation_run(simulation, 1);
        print_operators(simulation, mesh, out);
        fprintf(out, "%s\n", text);
        free(text);
    }
    fclose(out);
    simulation_destroy(simulation);
}

/* Compiles bench and generated top, runs them; 0 if the bench says PASS. */
static int replay(const struct mesh_config *mesh, const char *level, const char *cores, const char *arguments)
{
    const char *top = out_path("flat_top.v"), *program = out_path("flat_top.vvp"), *verdict = out_path("verdict");
    return shell("build/generate mesh %s -o %s --level %s && "
                 "iverilog -g2005 -s %s_bench -P%s_bench.SITES=%d -P%s_bench.LINKS=%d -P%s_bench.LINK_WIDTH=%d "
                 "-o %s -Ihw/protocol -y hw/mesh -y hw/soc -y hw/common -y hw/cutthrough "
                 "tests/sim/flat_top/%s_bench.v %s %s && "
                 "vvp -n %s %s | grep -v 'Not enough words' | tee %s && grep -q '^PASS' %s",
                 mesh->path, top, level, level, level, mesh->sites, level, mesh->links, level, mesh->word_width + 3,
                 program, level, top, cores, program, arguments, verdict, verdict);
}

static int compare_fabric(const char *path)
{
    static struct mesh_config mesh;
    char arguments[300];
    load_mesh(path, &mesh);
    record_fabric(&mesh, out_path("trace"));
    printf("fabric level, %s: ", path);
    snprintf(arguments, sizeof arguments, "+trace=%s", out_path("trace"));
    return replay(&mesh, "fabric", "", arguments);
}

static size_t put(uint8_t *at, uint32_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
    return bytes;
}

/* A SEND command of the console to `count` sites, on the wire. */
static size_t send_frame(uint8_t *wire, uint8_t id, unsigned count, const unsigned *sites, unsigned words)
{
    uint8_t raw[200];
    size_t length = put(raw, 0x03, 1);
    length += put(raw + length, id, 1);
    length += put(raw + length, 1, 1);
    length += put(raw + length, 0, 1);
    length += put(raw + length, count, 2);
    length += put(raw + length, words, 2);
    for (unsigned i = 0; i < count; i++)
        length += put(raw + length, sites[i], 4); /* site, no info words */
    for (unsigned i = 0; i < words; i++)
        length += put(raw + length, below(65536), 4);
    length += put(raw + length, crc16(raw, length), 2);
    wire[0] = 0;
    size_t end = 1 + cobs_encode(raw, length, wire + 1);
    wire[end] = 0;
    return end + 1;
}

/* A few packets from every site, as console bytes: written to the simulation, and to a file for the bench. */
static void feed_consoles(struct simulation *simulation, const struct mesh_config *mesh, const char *path)
{
    FILE *out = fopen(path, "w");
    if (!out)
        die("cannot write %s", path);
    for (int site = 0; site < mesh->sites; site++) {
        uint8_t wire[1000];
        size_t length = 0;
        for (unsigned i = 0; i < 3; i++) {
            unsigned sites[3] = {below((unsigned)mesh->sites)}, count = 1 + below(3);
            for (unsigned k = 1; k < count; k++)
                sites[k] = (sites[0] + k) % (unsigned)mesh->sites;
            length += send_frame(wire + length, (uint8_t)(i + 1), count, sites, below(9));
        }
        if (simulation_console_write(simulation, (unsigned)site, wire, length) != length)
            die("the console of site %d does not take %zu bytes", site, length);
        fprintf(out, "@%x\n", (unsigned)site * CONSOLE_PLACES);
        for (size_t i = 0; i < length; i++)
            fprintf(out, "%x\n", 0x100u | wire[i]);
    }
    fclose(out);
}

static int compare_site(const char *path)
{
    static struct mesh_config mesh;
    load_mesh(path, &mesh);
    struct simulation *simulation = start(&mesh, LEVEL_SITE, 0);
    char arguments[600];
    FILE *out = fopen(out_path("trace"), "w");
    if (!out)
        die("cannot write %s", out_path("trace"));
    feed_consoles(simulation, &mesh, out_path("console"));
    for (unsigned clock = 0; clock < SITE_CLOCKS; clock++) {
        uint8_t bytes[64];
        print_links(simulation, &mesh, out);
        fputc('\n', out);
        simulation_run(simulation, 1);
        for (int site = 0; site < mesh.sites; site++)
            (void)simulation_console_read(simulation, (unsigned)site, bytes, sizeof bytes);
    }
    fclose(out);
    simulation_destroy(simulation);
    printf("site level, %s: ", path);
    snprintf(arguments, sizeof arguments, "+trace=%s +console=%s +firmware=build/firmware/node.hex", out_path("trace"),
             out_path("console"));
    return replay(&mesh, "site", "build/venv/share/vexriscv/VexRiscv_Min.v", arguments);
}

static const char *small_mesh(void)
{
    const char *path = out_path("small.mesh");
    FILE *out = fopen(path, "w");
    if (!out)
        die("cannot write %s", path);
    fputs("[mesh]\nfabric = cutthrough\ntopology = torus\nsize = 3x1\n", out);
    fclose(out);
    return path;
}

int main(void)
{
    const char *seed = getenv("SEED");
    int failed = 0;
    random_state = seed ? strtoull(seed, NULL, 0) : 1;
    printf("seed %llu\n", (unsigned long long)random_state);
    snprintf(out_directory, sizeof out_directory, "build/tests/sim/flat-top-%ld", (long)getpid());
    mkdir(out_directory, 0777);
    failed += compare_fabric("sim/meshes/grid-4x4.mesh") != 0;
    failed += compare_fabric("sim/meshes/torus-4x4.mesh") != 0;
    failed += compare_fabric("sim/meshes/hypercube-4.mesh") != 0;
    failed += compare_site(small_mesh()) != 0;
    if (!failed)
        shell("rm -r %s", out_directory);
    printf("%s\n", failed ? "FAIL" : "PASS");
    return failed ? 1 : 0;
}
