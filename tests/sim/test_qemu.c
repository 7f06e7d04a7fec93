/* Sites under QEMU, the real one with the real image: they answer on their consoles and ping one another, and cores and
 * native operators beside them; in a quantum simulation every word of every clock repeats, though the machine is busy
 * with something else the second time; idle guests use no processor time; a QEMU that is killed is reported, and the
 * others go on; a reset starts another one; nothing is left.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE

#include "engine_test.h"

#include <dirent.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/rtl_engine.h"
#include "protocol.h"

enum { SITES = 4, LIMIT = 4000000 };

static char directory[200];
static struct mesh_config mesh;

static unsigned files(void)
{
    unsigned count = 0;
    struct dirent *entry;
    DIR *open = opendir(directory);
    while (open && (entry = readdir(open)))
        count += *entry->d_name != '.';
    if (open)
        closedir(open);
    return count;
}

/* A child of this process by what is in its command line, 0: none. */
static pid_t child(const char *pattern)
{
    char command[300], line[64] = "";
    snprintf(command, sizeof command, "pgrep -P %d -f '%s'", (int)getpid(), pattern);
    FILE *pipe = popen(command, "r");
    bool found = fgets(line, sizeof line, pipe) != NULL;
    pclose(pipe);
    return found ? (pid_t)atoi(line) : 0;
}

static pid_t qemu_of(unsigned site)
{
    char pattern[40];
    snprintf(pattern, sizeof pattern, "qemu-%u[.]port", site);
    pid_t pid = child(pattern);
    check(pid > 0, "no QEMU for site %u", site);
    return pid > 0 ? pid : getpid();
}

static struct simulation *begin(const enum site_kind *nodes, unsigned quantum, const struct fault *faults,
                                unsigned count)
{
    return start(&(struct simulation_options){.mesh = &mesh,
                                              .nodes = nodes,
                                              .directory = directory,
                                              .quantum = quantum,
                                              .faults = faults,
                                              .fault_count = count});
}

static void finish(struct simulation *simulation)
{
    simulation_destroy(simulation);
    check(files() == 0, "%u files are left in the folder of the sockets", files());
    check(child("qemu[-]") == 0, "a process is left");
}

static const char *said(struct simulation *simulation, unsigned site)
{
    static char text[8192];
    text[simulation_console_read(simulation, site, (uint8_t *)text, sizeof text - 1)] = 0;
    return text;
}

/* What a site has said until nothing moves any more. */
static const char *answer(struct simulation *simulation, unsigned site)
{
    check(settle(simulation, LIMIT), "the mesh does not come to rest");
    return said(simulation, site);
}

/* Every site pings every other one. */
static void all_ping(struct simulation *simulation, const char *what)
{
    char line[32], expected[32];
    for (unsigned from = 0; from < SITES; from++)
        for (unsigned to = 0; to < SITES; to++) {
            snprintf(line, sizeof line, "ping %u\n", to);
            snprintf(expected, sizeof expected, "site %u: round trip", to);
            console_type(simulation, from, line);
            const char *text = answer(simulation, from);
            check(from == to || strstr(text, expected), "%s: site %u pings %u: \"%s\"", what, from, to, text);
        }
}

static void kinds(const char *what, unsigned quantum, enum site_kind a, enum site_kind b, enum site_kind c,
                  enum site_kind d)
{
    const enum site_kind nodes[SITES] = {a, b, c, d};
    double began = seconds_now();
    struct simulation *simulation = begin(nodes, quantum, NULL, 0);
    check(settle(simulation, LIMIT), "%s: the mesh does not come to rest", what);
    double started = seconds_now();
    all_ping(simulation, what);
    printf("%s: up in %.2f s, 16 pings in %.2f s, %" PRIu64 " clocks\n", what, started - began, seconds_now() - started,
           simulation_clock(simulation));
    finish(simulation);
}

/* Boot, pings and packets at fixed clocks, where quanta end too: a guest may have packets to look at and be typed to; a
 * digest of all words of all clocks, and of all that was said. */
static uint64_t session(unsigned quantum, bool slow)
{
    static const enum site_kind nodes[SITES] = {SITE_QEMU, SITE_QEMU, SITE_QEMU, SITE_NATIVE};
    struct simulation *simulation = begin(nodes, quantum, NULL, 0);
    uint64_t digest = 0;
    uint8_t bytes[4096];
    for (unsigned clock = 0; clock < 30000; clock++) {
        if (slow && clock % 100 == 0)
            usleep(500); /* the guests are done before this side looks */
        if (clock >= 2000 && clock % 100 == 0)
            console_type(simulation, clock / 400 % 3, "ping 3\n");
        if (clock % 1000 == 510)
            console_type(simulation, clock / 1000 % 3, "send 0 1 2 3 hello\n");
        simulation_run(simulation, 1);
        for (unsigned i = 0; i < SITES * 4; i++)
            digest = mix(digest, simulation_words(simulation)[i]);
    }
    check(simulation_link_words(simulation) > 1000, "only %" PRIu64 " words have moved",
          simulation_link_words(simulation));
    for (unsigned site = 0; site < SITES; site++)
        for (size_t left = simulation_console_read(simulation, site, bytes, sizeof bytes); left > 0; left--)
            digest = mix(digest, bytes[left - 1]);
    finish(simulation);
    return digest;
}

static void words_repeat(void)
{
    double began = seconds_now();
    uint64_t digest = session(100, false);
    pid_t busy[3];
    printf("quantum: 30000 clocks in %.2f s\n", seconds_now() - began);
    for (unsigned i = 0; i < 3; i++)
        if ((busy[i] = fork()) == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            for (;;)
                continue;
        }
    check(session(100, true) == digest, "a run on a busy machine is another run");
    for (unsigned i = 0; i < 3; i++) {
        kill(busy[i], SIGKILL);
        waitpid(busy[i], NULL, 0);
    }
    check(session(64, false) != digest, "the quantum makes no difference");
}

/* Serves the mesh as host-tools/daemon does, which never waits inside the simulation, until nothing moves. */
static void serve(struct simulation *simulation)
{
    struct pollfd polls[SIMULATION_POLLS(SITES)];
    while (!simulation_idle(simulation)) {
        simulation_try_run(simulation, 1000);
        int milliseconds = simulation_wait_ms(simulation);
        poll(polls, (nfds_t)simulation_poll_prepare(simulation, polls), milliseconds);
        simulation_poll_handle(simulation);
    }
}

/* A guest's slice may end between two clocks, and leave a packet to be sent. The links of this mesh never rest. */
static void packet_ends_idleness(unsigned quantum)
{
    static const enum site_kind nodes[SITES] = {SITE_QEMU, SITE_QEMU, SITE_QEMU, SITE_QEMU};
    struct mesh_config on_chip = mesh;
    load_mesh("grid-2x2", &mesh);
    struct simulation *simulation = begin(nodes, quantum, NULL, 0);
    check(settle(simulation, LIMIT), "the mesh does not come to rest");
    for (unsigned k = 0; k < 5; k++) {
        console_type(simulation, 0, "ping 3\n");
        serve(simulation);
        const char *text = said(simulation, 0);
        check(strstr(text, "site 3: round trip"), "quantum %u, ping %u: \"%s\"", quantum, k, text);
    }
    finish(simulation);
    mesh = on_chip;
}

/* The descendants' time counts when they have ended. */
static double children_time(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static double lives(unsigned seconds)
{
    static const enum site_kind nodes[SITES] = {SITE_QEMU, SITE_QEMU, SITE_QEMU, SITE_QEMU};
    double before = children_time();
    struct simulation *simulation = begin(nodes, 0, NULL, 0);
    check(settle(simulation, LIMIT), "the mesh does not come to rest");
    sleep(seconds);
    finish(simulation);
    return children_time() - before;
}

static void idle_is_free(void)
{
    double none = lives(0), some = lives(2);
    printf("processor time of four guests: %.2f s to start, %.2f s with two seconds of rest\n", none, some);
    check(some < none + 0.5, "idle guests used %.2f s of processor time in two seconds", some - none);
}

static void killed_is_reported(unsigned quantum)
{
    static const enum site_kind nodes[SITES] = {SITE_QEMU, SITE_QEMU, SITE_QEMU, SITE_QEMU};
    struct simulation *simulation = begin(nodes, quantum, NULL, 0);
    uint32_t status = 0;
    check(settle(simulation, LIMIT), "the mesh does not come to rest");
    check(!simulation_finished(simulation, 1, &status), "site 1 has ended by itself");
    kill(qemu_of(1), SIGKILL);
    usleep(50000);
    console_type(simulation, 0, "ping 2\n");
    check(strstr(answer(simulation, 0), "site 2: round trip") != NULL, "site 0 does not reach site 2");
    check(simulation_finished(simulation, 1, &status) && status == 128 + SIGKILL, "status %u of a killed QEMU", status);
    console_type(simulation, 0, "send 1 2 3 hello\n");
    check(settle(simulation, LIMIT), "the mesh does not come to rest without site 1");
    finish(simulation);
}

static void reset_starts_another(void)
{
    static const enum site_kind nodes[SITES] = {SITE_QEMU, SITE_QEMU, SITE_NATIVE, SITE_NATIVE};
    struct fault fault = {.kind = FAULT_RESET, .site = 1, .at = 20000, .clocks = 1000};
    struct simulation *simulation = begin(nodes, 50, &fault, 1);
    simulation_run(simulation, 19000);
    pid_t before = qemu_of(1);
    simulation_run(simulation, 10000);
    check(qemu_of(1) != before, "a reset site runs on");
    check(settle(simulation, LIMIT), "the mesh does not come to rest");
    console_type(simulation, 0, "ping 1\n");
    check(strstr(answer(simulation, 0), "site 1: round trip") != NULL, "a site does not answer after its reset");
    finish(simulation);
}

static void refuses(void)
{
    static const enum site_kind nodes[SITES] = {SITE_QEMU, SITE_QEMU, SITE_QEMU, SITE_QEMU};
    char error[400];
    struct simulation_options options = {
        .mesh = &mesh, .nodes = nodes, .directory = directory, .firmware_elf = "/none.elf"};
    check(!rtl_engine.create(&options, error, sizeof error) && strstr(error, "/none.elf"), "no image: %s", error);
    options = (struct simulation_options){.mesh = &mesh, .nodes = nodes, .directory = "/none"};
    check(!rtl_engine.create(&options, error, sizeof error) && strstr(error, "/none"), "no folder: %s", error);
    struct simulation *other = start(
        &(struct simulation_options){.mesh = &mesh}); /* keeps the fabric: make is not run again */
    setenv("PATH", "/none", 1);
    options.directory = directory;
    check(!rtl_engine.create(&options, error, sizeof error) && strstr(error, "qemu-system-riscv32"), "no QEMU: %s",
          error);
    check(files() == 0, "%u files are left after a refusal", files());
    simulation_destroy(other);
}

int main(void)
{
    const char *temporary = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%s/qemu-XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(directory))
        return 1;
    load_mesh("grid-4x4", &mesh);
    mesh.size_x = mesh.size_y = 2;
    mesh.sites = SITES;
    kinds("free", 0, SITE_QEMU, SITE_QEMU, SITE_QEMU, SITE_QEMU);
    kinds("quantum", 200, SITE_QEMU, SITE_QEMU, SITE_QEMU, SITE_QEMU);
    kinds("mixed, free", 0, SITE_QEMU, SITE_CORE, SITE_NATIVE, SITE_QEMU);
    kinds("mixed, quantum", 200, SITE_NATIVE, SITE_QEMU, SITE_CORE, SITE_QEMU);
    words_repeat();
    packet_ends_idleness(0);
    packet_ends_idleness(100);
    idle_is_free();
    killed_is_reported(0);
    killed_is_reported(100);
    reset_starts_another();
    refuses();
    rmdir(directory);
    return verdict("test_qemu");
}
