/* What the back end of sites under QEMU costs: round trips, words per second, the start of a mesh; 1 to 16 sites. Each
 * beside a baseline of the same minute: a bare round trip between two processes, the same words between native sites,
 * the start of one site. Prints tables.
 *
 * usage: guests [SECONDS]      how long each speed is measured (1): the best of five slices, for a machine has other
 * work too
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../firmware/stream/stream.h"
#include "cli/exit_code.h"
#include "engine/rtl_engine.h"
#include "operator/operator.h"
#include "simulation/simulation.h"
#include "support/install_paths.h"

enum {
    SITES_MOST = 16,
    QUANTUM = 100,
    STEP = 200,
    NATIVE_STEP = 20,
    POOL = 28,
    WINDOW = 8,
    RECORD_BYTES = 24,
    SLICES = 5
};

static double seconds_each = 1;
static unsigned long native_taken;

static void die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "guests: ");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    exit(EXIT_MISMATCH);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* A mesh of so many sites, a power of two. */
static void make_mesh(unsigned sites, struct mesh_config *mesh)
{
    char top[4096], path[4200], error[512];
    if (install_paths_top(top, sizeof top) != 0)
        die("no project above this program");
    snprintf(path, sizeof path, "%s/hw/mesh/grid-4x4.mesh", top);
    if (mesh_config_load(path, mesh, error, sizeof error) != 0)
        die("%s", error);
    mesh->size_x = sites >= 8 ? 4 : sites >= 2 ? 2 : 1;
    mesh->size_y = sites / mesh->size_x;
    mesh->sites = sites;
}

/* All sites of one kind; `image` in build/firmware, NULL: the node. */
static struct simulation *start(unsigned sites, enum site_kind kind, unsigned quantum, const char *image)
{
    char top[4096], elf[4200], error[512];
    struct mesh_config mesh;
    enum site_kind kinds[SITES_MOST];
    make_mesh(sites, &mesh);
    for (unsigned i = 0; i < sites; i++)
        kinds[i] = kind;
    install_paths_top(top, sizeof top);
    snprintf(elf, sizeof elf, "%s/build/firmware/%s", top, image ? image : "");
    struct simulation *simulation = rtl_engine.create(&(struct simulation_options){.mesh = &mesh,
                                                                                   .nodes = kinds,
                                                                                   .quantum = quantum,
                                                                                   .pool = POOL,
                                                                                   .window = WINDOW,
                                                                                   .firmware_elf = image ? elf : NULL},
                                                      error, sizeof error);
    if (!simulation)
        die("%s", error);
    return simulation;
}

/* Bytes of all consoles. */
static size_t read_consoles(struct simulation *simulation, unsigned sites)
{
    uint8_t bytes[4096];
    size_t count = 0;
    for (unsigned i = 0; i < sites; i++)
        count += simulation_console_read(simulation, i, bytes, sizeof bytes);
    return count;
}

static void echo(int descriptor)
{
    char bytes[RECORD_BYTES];
    while (recv(descriptor, bytes, sizeof bytes, MSG_WAITALL) == sizeof bytes)
        if (send(descriptor, bytes, sizeof bytes, MSG_NOSIGNAL) != sizeof bytes)
            break;
    _exit(0);
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static void exchange(int descriptor)
{
    char bytes[RECORD_BYTES] = "";
    if (send(descriptor, bytes, sizeof bytes, MSG_NOSIGNAL) != sizeof bytes ||
        recv(descriptor, bytes, sizeof bytes, MSG_WAITALL) != sizeof bytes)
        die("the other end of a socket is gone");
}

/* Microseconds for as many bytes as begin a turn, through a socket to another process and back. */
static double bare_round_trip(void)
{
    double least = INFINITY;
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        die("cannot make a pair of sockets");
    fflush(NULL);
    pid_t other = fork();
    if (other == 0) {
        close(ends[0]);
        echo(ends[1]);
    }
    close(ends[1]);
    for (unsigned slice = 0; slice < SLICES; slice++) {
        unsigned long rounds = 0;
        double began = now();
        for (; rounds == 0 || now() - began < seconds_each / SLICES; rounds++)
            exchange(ends[0]);
        least = smaller(least, (now() - began) / (double)rounds);
    }
    close(ends[0]);
    waitpid(other, NULL, 0);
    return 1e6 * least;
}

static void settle(struct simulation *simulation)
{
    while (!simulation_idle(simulation))
        simulation_run(simulation, 1);
}

struct turns {
    double up;    /* seconds until all are asleep for the first time */
    double round; /* microseconds in which each guest has had one turn */
};

/* A zero byte to every console is a turn of every guest in which nothing happens. */
static void one_round(struct simulation *simulation, unsigned sites)
{
    for (unsigned i = 0; i < sites; i++)
        simulation_console_write(simulation, i, (const uint8_t[]){0}, 1);
    settle(simulation);
}

static struct turns measure_turns(unsigned sites)
{
    struct turns result = {.round = INFINITY};
    double began = now();
    struct simulation *simulation = start(sites, SITE_QEMU, 0, NULL);
    settle(simulation);
    result.up = now() - began;
    for (unsigned slice = 0; slice < SLICES; slice++) {
        unsigned rounds = 0;
        for (began = now(); rounds == 0 || now() - began < seconds_each / SLICES; rounds++)
            one_round(simulation, sites);
        result.round = smaller(result.round, 1e6 * (now() - began) / rounds);
    }
    simulation_destroy(simulation);
    return result;
}

/* Data words per second that have been delivered, all sites together. */
static double guests_words(unsigned sites, unsigned quantum)
{
    double best = 0;
    struct simulation *simulation = start(sites, SITE_QEMU, quantum, "stream.elf");
    simulation_run(simulation, 100 * STEP);
    read_consoles(simulation, sites);
    for (unsigned slice = 0; slice < SLICES; slice++) {
        size_t reports = 0;
        double began = now();
        while (now() - began < seconds_each / SLICES) {
            simulation_run(simulation, STEP);
            reports += read_consoles(simulation, sites);
        }
        best = larger(best, (double)reports * STREAM_REPORT * STREAM_WORDS / (now() - began));
    }
    simulation_destroy(simulation);
    return best;
}

static void take(void *context, const struct pr_delivery *delivery)
{
    (void)context;
    (void)delivery;
    native_taken++;
}

static void send_all(struct simulation *simulation, unsigned sites)
{
    static const uint32_t data[STREAM_WORDS];
    for (unsigned i = 0; i < sites; i++) {
        struct pr_target next = {.site = (uint16_t)((i + 1) % sites)};
        while (pr_operator_send(simulation_operator(simulation, i), &next, 1, STREAM_HANDLER, data, STREAM_WORDS,
                                NULL) == 0)
            continue;
    }
}

/* The same between native operators. */
static double native_words(unsigned sites)
{
    double best = 0;
    struct simulation *simulation = start(sites, SITE_NATIVE, 0, NULL);
    for (unsigned i = 0; i < sites; i++)
        pr_operator_register(simulation_operator(simulation, i), STREAM_HANDLER, take, NULL);
    for (unsigned slice = 0; slice < SLICES; slice++) {
        native_taken = 0;
        double began = now();
        while (now() - began < seconds_each / SLICES) {
            send_all(simulation, sites);
            simulation_run(simulation, NATIVE_STEP);
        }
        best = larger(best, (double)native_taken * STREAM_WORDS / (now() - began));
    }
    simulation_destroy(simulation);
    return best;
}

static void print_turns(void)
{
    simulation_destroy(start(1, SITE_NATIVE, 0, NULL)); /* from now on the verilated fabric is there */
    double bare = bare_round_trip(), one = 0;
    printf("bare round trip: %.1f us for %d bytes between two processes\n\n", bare, RECORD_BYTES);
    printf("| sites under QEMU | us a round of a turn each |"
           " us a turn | bare round trips a turn | start, s | starts of one site |\n"
           "|---:|---:|---:|---:|---:|---:|\n");
    for (unsigned sites = 1; sites <= SITES_MOST; sites *= 2) {
        struct turns turns = measure_turns(sites);
        one = sites == 1 ? turns.up : one;
        printf("| %u | %.1f | %.1f | %.1f | %.2f | %.1f |\n", sites, turns.round, turns.round / sites,
               turns.round / sites / bare, turns.up, turns.up / one);
        fflush(stdout);
    }
}

static void print_words(void)
{
    printf(
        "\n| sites | native, words/s | QEMU free, words/s | share of native | QEMU quantum %d, words/s | share of native |\n"
        "|---:|---:|---:|---:|---:|---:|\n",
        QUANTUM);
    for (unsigned sites = 1; sites <= SITES_MOST; sites *= 2) {
        double native = native_words(sites), loose = guests_words(sites, 0), strict = guests_words(sites, QUANTUM);
        if (native == 0 || loose == 0 || strict == 0)
            die("%u sites: no word has come", sites);
        printf("| %u | %.0f | %.0f | %.3f | %.0f | %.3f |\n", sites, native, loose, loose / native, strict,
               strict / native);
        fflush(stdout);
    }
}

int main(int count, char **arguments)
{
    char *end = "";
    if (count > 1)
        seconds_each = strtod(arguments[1], &end);
    if (count > 2 || *end || seconds_each <= 0) {
        fprintf(stderr, "usage: guests [SECONDS]\n");
        return EXIT_USAGE;
    }
    print_turns();
    print_words();
    return 0;
}
