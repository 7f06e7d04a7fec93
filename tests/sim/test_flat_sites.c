/* Whole sites: the engine against the generated flat top, the same words and statuses on every link in every clock.
 *
 * Both run the firmware with the same console input. The engine leaves out sites that are quiet, cores asleep in a read
 * of PR_NI_WAIT included; the flat top, under Icarus, clocks everything always. Equal words show that leaving out
 * changes nothing. test_flat_mesh does the same for fabrics. time limit: 900 s
 * runs in: test-long
 *
 * SPDX-License-Identifier: ISC
 */
#define _POSIX_C_SOURCE 200809L

#include "engine/rtl_engine.h"
#include "mesh/mesh.h"
#include "simulation/simulation.h"
#include "wire/cobs.h"
#include "wire/crc16.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CLOCKS = 120000, MAX_BITS = 1024, CONSOLE_PLACES = 4096 };

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

static struct simulation *start(const struct mesh_config *mesh)
{
    char error[2000];
    struct simulation_options options = {.mesh = mesh, .kind = SITE_CORE};
    struct simulation *simulation = rtl_engine.create(&options, error, sizeof error);
    if (!simulation)
        die("%s", error);
    return simulation;
}

/* Compiles bench and generated top, runs them; 0 if the bench says PASS. */
static int replay(const struct mesh_config *mesh)
{
    const char *top = out_path("flat_top.v"), *program = out_path("flat_top.vvp"), *verdict = out_path("verdict");
    int failed = shell("build/generate_mesh %s -o %s && iverilog -g2005 -s flat_sites_bench "
                       "-Pflat_sites_bench.SITES=%d -Pflat_sites_bench.LINKS=%d -Pflat_sites_bench.LINK_WIDTH=%d -o %s "
                       "-Ihw/protocol -Ihw/cutthrough -y hw/mesh -y hw/soc -y hw/common -y hw/cutthrough "
                       "tests/sim/flat_sites_bench.v "
                       "%s build/venv/share/vexriscv/VexRiscv_Min.v",
                       mesh->path, top, mesh->sites, mesh->links, mesh->word_width + 3, program, top);
    if (failed)
        return failed;
    return shell("vvp -n %s +trace=%s/trace +console=%s/console +firmware=build/firmware/node.hex | "
                 "grep -v 'Not enough words' | tee %s && grep -q '^PASS' %s",
                 program, out_directory, out_directory, verdict, verdict);
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
    length += put(raw + length, pr_crc16(raw, length), 2);
    wire[0] = 0;
    size_t end = 1 + pr_cobs_encode(raw, length, wire + 1);
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

static void record(const struct mesh_config *mesh)
{
    struct simulation *simulation = start(mesh);
    FILE *out = fopen(out_path("trace"), "w");
    if (!out)
        die("cannot write %s", out_path("trace"));
    feed_consoles(simulation, mesh, out_path("console"));
    for (unsigned clock = 0; clock < CLOCKS; clock++) {
        uint8_t bytes[64];
        print_links(simulation, mesh, out);
        fputc('\n', out);
        simulation_run(simulation, 1);
        for (int site = 0; site < mesh->sites; site++)
            (void)simulation_console_read(simulation, (unsigned)site, bytes, sizeof bytes);
    }
    fclose(out);
    simulation_destroy(simulation);
}

static void small_mesh(const char *path, struct mesh_config *mesh)
{
    char error[2000];
    FILE *out = fopen(path, "w");
    if (!out)
        die("cannot write %s", path);
    fputs("[mesh]\nfabric = cutthrough\ntopology = torus\nsize = 3x1\n", out);
    fclose(out);
    if (mesh_config_load(path, mesh, error, sizeof error))
        die("%s", error);
}

int main(void)
{
    static struct mesh_config mesh;
    const char *seed = getenv("SEED");
    random_state = seed ? strtoull(seed, NULL, 0) : 1;
    printf("seed %llu\n", (unsigned long long)random_state);
    snprintf(out_directory, sizeof out_directory, "build/tests/sim/flat-sites-%ld", (long)getpid());
    mkdir(out_directory, 0777);
    small_mesh(out_path("small.mesh"), &mesh);
    record(&mesh);
    if (replay(&mesh) != 0)
        return 1;
    return shell("rm -r %s", out_directory) != 0;
}
