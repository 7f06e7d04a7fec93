/* A mesh of nodes behind one console: answers requests as a mesh would, with faults on request. One client at a time,
 * on a unix socket, on a pty whose name it prints, or on a TCP port whose number it prints.
 *
 * usage: node [OPTION...] PATH|pty|tcp
 *   -x N -y N   size of the mesh (default 4x4 grid)     -t N  topology code     -H N  .mesh hash
 *   -s SITE     this site is silent (may be repeated)   -c SITE:LINK  this site says that the link is not connected
 *   -a SITE     this site has a wrong address           -m    mute: no answer to anything
 *   -g N        N random bytes before every answer      -d N  dies after N answers    -r SEED
 *   -z N        every answer takes N milliseconds
 *   -w          the other way round: copies standard input to the socket PATH, a stream or of packets, and ends
 *   -b N        refuses the first N requests for want of a buffer       -l  every answer goes out twice
 *   -B N        refuses the first N sends, since its window is full
 *   -R          reliable: tells what becomes of packets  -F SITE  with -R: no acknowledgement from this site
 *   -Q          with -R: loses its events                -O    says who it is in as few words as an old node
 *   -p N        the mesh's max_packet                   -k COUNTER:VALUE[:MORE]  of every site, whose others are 0;
 *               MORE is added after each time that site 0 is asked for it
 *   -E          log text behind every answer, and answers of the shell, that terminals obey
 *   -P PINS[:N] every site has so many probe pins, and something reads other rows in between the first N choices
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "node.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct node node = {.identity = {.map_version = PR_ID_MAP_VERSION_VALUE,
                                        .signature = PR_ID_SIGNATURE_VALUE,
                                        .size_x = 4,
                                        .size_y = 4,
                                        .word_width = 16,
                                        .clock_hz = 12000000,
                                        .ram_bytes = 65536,
                                        .mesh_hash = 0x1234,
                                        .link_clocks = 144,
                                        .max_packet = 128}};

/* ---- lines ---- */

static void serve(int line)
{
    static struct pr_frames_reader reader;
    static struct pr_frame frame;
    uint8_t bytes[256];
    ssize_t count;
    pr_frames_reader_init(&reader);
    while ((count = read(line, bytes, sizeof bytes)) > 0)
        for (ssize_t i = 0; i < count; i++)
            if (pr_frames_push(&reader, bytes[i], &frame) == PR_FRAMES_READY)
                node_answer(&node, line, &frame);
}

_Noreturn static void accept_clients(int listener)
{
    fflush(stdout);
    for (;;) {
        int line = accept(listener, NULL, NULL);
        serve(line);
        close(line);
    }
}

_Noreturn static void serve_socket(const char *path)
{
    int listener = listen_unix(path);
    puts("ready");
    accept_clients(listener);
}

_Noreturn static void serve_tcp(void)
{
    unsigned port;
    int listener = listen_tcp(&port);
    printf("%u\n", port);
    accept_clients(listener);
}

_Noreturn static void serve_pty(void)
{
    struct pollfd wait = {.fd = open_pty(0, NULL), .events = POLLIN};
    puts(ptsname(wait.fd));
    fflush(stdout);
    for (;;) { /* the pty hangs up whenever nobody has the other side open */
        int ready = poll(&wait, 1, -1);
        if (ready > 0 && wait.revents & POLLIN)
            serve(wait.fd);
        else
            usleep(20000);
    }
}

static int connect_to(const char *path, int type)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    int line = socket(AF_UNIX, type, 0);
    if (connect(line, (struct sockaddr *)&address, sizeof address) == 0)
        return line;
    close(line);
    return -1;
}

static void write_to_socket(const char *path)
{
    uint8_t bytes[4096];
    ssize_t count;
    int line = connect_to(path, SOCK_STREAM);
    if (line < 0)
        line = connect_to(path, SOCK_SEQPACKET);
    if (line < 0)
        fail(path);
    while ((count = read(STDIN_FILENO, bytes, sizeof bytes)) > 0)
        give(line, bytes, (size_t)count);
}

/* ---- options ---- */

static const struct {
    char letter;
    uint32_t *number; /* takes the value, or 1 where the option has none */
} numbers[] = {
    {'x', &node.identity.size_x},
    {'y', &node.identity.size_y},
    {'t', &node.identity.topology},
    {'H', &node.identity.mesh_hash},
    {'R', &node.identity.reliable},
    {'p', &node.identity.max_packet},
    {'m', &node.mute},
    {'g', &node.garbage},
    {'d', &node.answers_left},
    {'z', &node.slowness},
    {'b', &node.busy},
    {'B', &node.full},
    {'l', &node.twice},
    {'Q', &node.quiet},
    {'O', &node.old},
    {'E', &node.hostile},
};

static bool take_counter(const char *text)
{
    unsigned counter, value, growth = 0;
    if (sscanf(text, "%u:%u:%u", &counter, &value, &growth) < 2 || counter >= NODE_COUNTERS_MAX)
        return false;
    node.growth[counter] = growth;
    node.counters[counter] = value;
    return node.counted = true;
}

static bool take_cut(const char *text)
{
    unsigned site, link;
    if (sscanf(text, "%u:%u", &site, &link) != 2 || site >= NODE_SITES_MAX)
        return false;
    node.sites[site].cut |= 1u << link;
    return true;
}

static bool take_pins(const char *text)
{
    return sscanf(text, "%u:%u", &node.pins, &node.disturbed) >= 1 && node.pins <= PR_PROBE_MOST_PINS;
}

/* False: there is no such option, or its value is none. */
static bool take_option(char letter, const char *text)
{
    uint32_t number = text ? (uint32_t)strtoul(text, NULL, 0) : 1;
    struct node_site *site = &node.sites[number % NODE_SITES_MAX];
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        if (numbers[k].letter == letter) {
            *numbers[k].number = number;
            return true;
        }
    site->silent |= letter == 's';
    site->misplaced |= letter == 'a';
    site->deaf |= letter == 'F';
    if (letter == 'r')
        srand(number);
    return strchr("saFr", letter) || (letter == 'c' && take_cut(text)) || (letter == 'k' && take_counter(text)) ||
           (letter == 'P' && take_pins(text));
}

int node_role(int argc, char **argv)
{
    int option;
    bool writes = false, good = true;
    signal(SIGPIPE, SIG_IGN); /* a client need not stay for the events of what it sent */
    while (good && (option = getopt(argc, argv, "x:y:t:H:s:c:a:mg:d:r:b:lwz:RF:QOEB:p:k:P:")) != -1)
        if (option == 'w')
            writes = true;
        else
            good = take_option((char)option, optarg);
    if (!good || optind + 1 != argc)
        usage("node [OPTION...] PATH|pty|tcp (the options are at the top of role_node.c)");
    if (writes)
        write_to_socket(argv[optind]);
    else if (strcmp(argv[optind], "tcp") == 0)
        serve_tcp();
    else if (strcmp(argv[optind], "pty") == 0)
        serve_pty();
    else
        serve_socket(argv[optind]);
    return 0;
}
