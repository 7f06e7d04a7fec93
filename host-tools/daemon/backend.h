/* A back end: the source of the consoles of a mesh. The daemon and everything above it use only this table.
 *
 *   backend_simulated   the sites of a simulation, whose time the daemon drives
 *   backend_boards      boards on serial lines, whose time is their own
 *
 * A new back end fills in `struct backend_functions` in one file, and `postroad up` calls its constructor. All
 * functions return at once: the daemon is one process with one loop, which waits in poll() and nowhere else.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_DAEMON_BACKEND_H
#define POSTROAD_DAEMON_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct backend;
struct mesh_config;
struct packet_passage;
struct pollfd;

/* State of one site, as the back end sees it. */
struct backend_site {
    const char *board;      /* the name of its board in the testbed; "" or NULL: none */
    const char *lost;       /* why its console cannot be reached; NULL: it can */
    bool ended;             /* its firmware has ended, with `status` (platform/platform.h) */
    uint32_t status;        /* 128 and the number of the signal: its QEMU was ended by that signal */
    const char *end_reason; /* why the back end has ended or is to reset it; "": it has not */
    bool at_rest;           /* out of reset, and its firmware has come to rest or has ended */
    double
        slice_seconds; /* QEMU: how long the guest has been in its time slice; negative: it is in none, or debugged */
    uint64_t clocks_since_io; /* core: clocks since it last accessed more than its memory */
};

/* Called with running = false just before a site is reset or lost, and with true when the site has restarted. */
typedef void backend_reset_hook(void *context, unsigned site, bool running);

struct backend_functions {
    /* Move bytes of a site's console. Both return the number of bytes moved, which may be smaller than requested. */
    size_t (*console_read)(struct backend *backend, unsigned site, uint8_t *bytes, size_t length);
    size_t (*console_write)(struct backend *backend, unsigned site, const uint8_t *bytes, size_t length);

    /* poll_prepare gives the descriptors to wait for, at most poll_room(). poll_handle gets the same array with the
     * results of poll(). */
    size_t (*poll_room)(const struct backend *backend);
    size_t (*poll_prepare)(struct backend *backend, struct pollfd *polls);
    void (*poll_handle)(struct backend *backend, const struct pollfd *polls, size_t count);

    /* Time. run() works for some milliseconds, unless the back end is idle. waits() gives the milliseconds for which
     * run() has to wait for an external event; 0: run() can work now, -1: not until a descriptor is ready. */
    bool (*idle)(struct backend *backend);
    void (*run)(struct backend *backend);
    int (*waits)(struct backend *backend);

    /* An idle stretch. idle_begin returns the milliseconds until a timer ends it, -1: none does. idle_end gets the time
     * that it has lasted. */
    int (*idle_begin)(struct backend *backend);
    void (*idle_end)(struct backend *backend, double seconds);

    /* The mesh's own clock, 0 if the back end does not drive it; and the present moment as text for a log line: "at
     * clock 17". */
    uint64_t (*clock)(const struct backend *backend);
    void (*describe_time)(const struct backend *backend, char *out, size_t size);

    /* Called for every site after each run(), so it must be cheap. */
    void (*look)(struct backend *backend, unsigned site, struct backend_site *out);

    /* False: the site never has a console here, and is reached over the mesh. */
    bool (*has_console)(const struct backend *backend, unsigned site);

    /* True if a debugger is attached to a site. *mesh_waits: the whole mesh waits while that site is halted. */
    bool (*debugged)(const struct backend *backend, unsigned site, bool *mesh_waits);

    /* A site's program counter, and its register ra, 0 if ra is unknown. False: neither can be read. */
    bool (*locate)(const struct backend *backend, unsigned site, uint32_t *pc, uint32_t *return_address);

    /* Firmware. load_refusal: the reason why a site accepts no image, NULL if it accepts one; *hex: it accepts a
     * readmemh image too. load: starts the site with the image, whose files stay; 0, or -1 with a reason and nothing
     * changed. */
    const char *(*load_refusal)(const struct backend *backend, unsigned site, bool *hex);
    int (*load)(struct backend *backend, unsigned site, const char *elf, const char *hex, char *error,
                size_t error_size);

    /* The serial line of a board, for a process that talks to its boot program. lend: EXIT_OK with the descriptor,
     * which stays the back end's, and is not touched here before take_back; EXIT_TIMEOUT: the line is not open, but may
     * be soon; another exit code: it cannot be lent; these two with the reason. Members that are NULL: no site has such
     * a line. */
    int (*lend)(struct backend *backend, unsigned site, int *descriptor, char *error, size_t error_size);
    void (*take_back)(struct backend *backend, unsigned site);

    /* Passages of packets over the mesh's links, as simulation/packet_tap.h has them. tap_watch: from now on those of
     * packets of `source` are kept, too; false: the words on the links cannot be seen. tap_passages: those so far.
     * tap_end: none is kept any more. Members that are NULL: the words can never be seen. */
    bool (*tap_watch)(struct backend *backend, unsigned source);
    const struct packet_passage *(*tap_passages)(const struct backend *backend, size_t *count);
    void (*tap_end)(struct backend *backend);

    void (*destroy)(struct backend *backend);
};

/* The members with which every back end begins. The daemon sets the hook. */
struct backend {
    const struct backend_functions *functions;
    const struct mesh_config *mesh;
    backend_reset_hook *reset_hook; /* or NULL */
    void *reset_context;
};

#endif
