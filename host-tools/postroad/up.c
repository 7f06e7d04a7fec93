/* postroad up: starts the daemon, waits until its mesh is ready, prints the endpoint.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "cli/about.h"
#include "cli/report.h"
#include "cli/signals.h"
#include "daemon/backend.h"
#include "daemon/backend_boards.h"
#include "daemon/backend_simulated.h"
#include "daemon/board_line.h"
#include "daemon/daemon.h"
#include "daemon/simulated_boards.h"
#include "postroad/held_boards.h"
#include "postroad/up_lines.h"
#include "postroad/up_testbed.h"
#include "postroad/verbs.h"
#include "support/or_abort.h"
#include "testbed/simulated_contents.h"

#include "analyser/mesh_ports.h"
#include "board/firmware_image.h"
#include "board/firmware_limits.h"
#include "engine/verilated_site.h"
#include "libpostroad/client.h"
#include "libpostroad/run_directory.h"
#include "mesh/mesh.h"
#include "mesh/mesh_settings.h"
#include "operator/send_window.h"
#include "simulation/simulation.h"
#include "support/install_paths.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ERROR_SIZE = 8192, TROUBLES_SIZE = 8192, LINES_MAX = 4096, PATH_SIZE = 4096, HIGHEST_INHERITED = 256 };

#define DEFAULT_NODES "core"

/* Seconds that a node may take to answer. Simulated boards run some hundred times slower than real ones. */
#define HELLO_TIME           5
#define HELLO_TIME_SIMULATED 100

/* The first line of the daemon's message when the mesh is up. Lines about sites that have not started follow. Any other
 * first line is an error. */
static const char ready[] = "ready\n";
/* Begins lines before it that are notes. */
static const char note[] = "note: ";

struct up_options {
    struct options common;
    const char *nodes, *engine, *firmware, *only, *capture;
    double hello; /* seconds; negative: not given */
    struct option_list faults, set;
    long pool, stall, seed, window, quantum;
    long reliable; /* -1: as the file has it */
    bool foreground;
};

struct start {
    const struct up_options *options;
    struct up_lines lines;     /* of boards */
    struct up_testbed testbed; /* whose boards are real; without consoles: none is meant */
    bool bitstream;            /* the boards of a testbed file are simulated */
    struct simulated_boards bench;
    struct mesh_config mesh; /* simulated: of the file, with --set */
    char *mesh_text;         /* the same */
    enum site_kind *nodes;
    struct fault faults[OPTION_LIST_MAX];
    char name[PR_RUN_NAME_SIZE], directory[PR_RUN_DIRECTORY_SIZE];
    int lock;                     /* of the run directory, in the daemon */
    char troubles[TROUBLES_SIZE]; /* sites that have not started: daemon_start */
};

/* Boards on serial lines, real ones or simulated. */
static bool has_boards(const struct start *start)
{
    return start->lines.count || start->testbed.consoles.count || start->bitstream;
}

static bool choose_name(struct start *start)
{
    const struct up_options *options = start->options;
    const char *file = options->common.operands[0], *slash = strrchr(file, '/');
    const char *name = options->common.name ? options->common.name
                       : start->lines.count ? "boards"
                       : slash              ? slash + 1
                                            : file;
    bool fits = strlen(name) < sizeof start->name;
    snprintf(start->name, sizeof start->name, "%.*s", (int)sizeof start->name - 1, name);
    char *dot = strrchr(start->name, '.');
    if (!options->common.name && dot && (strcmp(dot, ".mesh") == 0 || strcmp(dot, ".ini") == 0))
        *dot = 0;
    if (fits && !strchr(start->name, '/') &&
        pr_run_directory_path(start->name, start->directory, sizeof start->directory))
        return true;
    report_error("up", "--name %s: expected a name of at most %d letters, without slashes, not starting with a dot",
                 start->name, (int)sizeof start->name - 1);
    return false;
}

static bool choose_engine(const struct start *start)
{
    char names[200];
    if (simulation_find_engine(start->options->engine))
        return true;
    simulation_engine_names(names, sizeof names);
    report_error("up", "--engine %s: expected %s", start->options->engine, names);
    return false;
}

/* Finds an option that has no effect on any of the sites. */
static const char *stray_option(const struct start *start)
{
    const struct up_options *options = start->options;
    bool native = site_kinds_have(start->nodes, start->mesh.sites, SITE_NATIVE);
    if (options->quantum && !site_kinds_have(start->nodes, start->mesh.sites, SITE_QEMU))
        return "quantum";
    if (native)
        return options->firmware && site_kinds_all(start->nodes, start->mesh.sites, SITE_NATIVE) ? "firmware" : NULL;
    return options->pool ? "pool" : options->stall ? "stall" : options->window ? "window" : NULL;
}

static bool choose_nodes(struct start *start)
{
    const char *text = start->options->nodes ? start->options->nodes : DEFAULT_NODES;
    char error[ERROR_SIZE];
    start->nodes = or_abort(calloc((size_t)start->mesh.sites, sizeof *start->nodes));
    if (site_kinds_parse(text, &start->mesh, SITE_CORE, start->nodes, error, sizeof error) != 0) {
        report_error("up", "--nodes %s; or " ABOUT_BITSTREAM " alone, with a testbed", error);
        return false;
    }
    const char *stray = stray_option(start);
    if (stray)
        report_error("up", "--%s: not with %s nodes", stray, text);
    return !stray;
}

static bool choose_faults(struct start *start)
{
    const struct option_list *texts = &start->options->faults;
    char error[ERROR_SIZE];
    for (size_t i = 0; i < texts->count; i++) {
        struct fault *fault = &start->faults[i];
        if (fault_parse(texts->items[i], &start->mesh, fault, error, sizeof error) != 0) {
            report_error("up", "--%s", error);
            return false;
        }
        if (fault->kind == FAULT_RESET && !start->mesh.reliable) {
            report_error("up", "--fault %s: only with the reliable service", texts->items[i]);
            return false;
        }
    }
    return true;
}

/* Finds options of a simulation, which have no effect on boards. */
static bool check_board_options(const struct up_options *options)
{
    const struct {
        const char *name;
        bool given;
    } simulated[] = {
        {"engine", options->engine}, {"quantum", options->quantum},    {"firmware", options->firmware},
        {"pool", options->pool},     {"stall", options->stall},        {"reliable", options->reliable >= 0},
        {"window", options->window}, {"fault", options->faults.count}, {"set", options->set.count}};
    for (size_t i = 0; i < sizeof simulated / sizeof *simulated; i++)
        if (simulated[i].given) {
            report_error("up", "--%s: of a simulated mesh, not of boards", simulated[i].name);
            return false;
        }
    return true;
}

/* False, with the reason in errno. */
static bool copy_file(const char *from, const char *to)
{
    char bytes[PATH_SIZE];
    ssize_t count = -1;
    int in = open(from, O_RDONLY | O_CLOEXEC);
    int out = in < 0 ? -1 : open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    while (in >= 0 && out >= 0 && (count = read(in, bytes, sizeof bytes)) > 0)
        if (write(out, bytes, (size_t)count) != count)
            break;
    int reason = errno;
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    if (count != 0)
        unlink(to);
    errno = reason;
    return count == 0;
}

/* Any name but one with .hex. */
static bool names_elf(const char *name)
{
    size_t length = name ? strlen(name) : 0;
    return name && (length < 4 || strcmp(name + length - 4, ".hex") != 0);
}

/* The ELF file of the named image, NAME.hex, or of the project's own; "" if there is none. */
static void find_elf(const struct start *start, char *out, size_t size)
{
    static const char own[] = "/firmware/node.elf", ending[] = ".elf";
    const char *named = start->options->firmware;
    *out = 0;
    if (names_elf(named))
        snprintf(out, size, "%s", named);
    else if (named)
        snprintf(out, size, "%.*s%s", (int)(strlen(named) - strlen(ending)), named, ending);
    else if (install_paths_built(out, size - sizeof own) == 0)
        strcat(out, own);
}

/* Copies the ELF file to the run directory. A restart of a site, the debugger and the crash reports need the image that
 * the mesh was started with, not one that was built later. Returns the copy, or the original if there is no copy. */
static const char *keep_elf(const struct start *start, char *out, size_t size)
{
    char source[PATH_SIZE];
    find_elf(start, source, sizeof source);
    snprintf(out, size, "%s/image-all.elf", start->directory);
    if (!copy_file(source, out))
        snprintf(out, size, "%s", source);
    return out;
}

/* Refuses an image that has no room for the mesh before anything starts. An image without an ELF file is not
 * checked. */
static bool check_image(const struct start *start)
{
    struct firmware_image image;
    char path[PATH_SIZE], error[PATH_SIZE + ERROR_SIZE];
    find_elf(start, path, sizeof path);
    if (site_kinds_all(start->nodes, start->mesh.sites, SITE_NATIVE) ||
        (!names_elf(start->options->firmware) && access(path, R_OK) != 0))
        return true;
    bool good = firmware_image_read(&image, path, start->mesh.ram_bytes, error, sizeof error) == 0;
    if (good) {
        good = firmware_limits_check(&image, path, &start->mesh, error, sizeof error) == 0;
        firmware_image_free(&image);
    }
    if (!good)
        report_error("up", "%s", error);
    return good;
}

/* Writes a named ELF file to the run directory, in the forms that QEMU and cores accept. */
static int keep_image(const struct start *start, char *elf, char *hex, char *error, size_t error_size)
{
    struct firmware_image image;
    snprintf(elf, PATH_SIZE, "%s/image-all.elf", start->directory);
    snprintf(hex, PATH_SIZE, "%s/image-all.hex", start->directory);
    if (firmware_image_read(&image, start->options->firmware, start->mesh.ram_bytes, error, error_size) != 0)
        return -1;
    int status = firmware_image_write_elf(&image, elf, error, error_size);
    if (status == 0)
        status = firmware_image_write_hex(&image, hex, error, error_size);
    firmware_image_free(&image);
    return status;
}

/* Clients find the cables of a graph in the copy. False, with the reason. */
static bool keep_mesh(const struct start *start, char *error, size_t error_size)
{
    char copy[PATH_SIZE];
    snprintf(copy, sizeof copy, "%s/mesh", start->directory);
    FILE *file = fopen(copy, "we");
    bool good = file && fputs(start->mesh_text, file) != EOF;
    good = (!file || fclose(file) == 0) && good;
    if (!good)
        snprintf(error, error_size, "%s: cannot be copied to %s: %s", start->mesh.path, copy, strerror(errno));
    return good;
}

static struct backend *make_simulated(const struct start *start, char *error, size_t error_size)
{
    char hex[PATH_SIZE], elf[PATH_SIZE];
    bool named = names_elf(start->options->firmware);
    if (!keep_mesh(start, error, error_size) || (named && keep_image(start, elf, hex, error, error_size) != 0))
        return NULL;
    struct simulation_options options = {
        .engine = start->options->engine,
        .mesh = &start->mesh,
        .nodes = start->nodes,
        .directory = start->directory,
        .capture = start->options->capture,
        .quantum = (unsigned)start->options->quantum,
        .firmware_hex = named ? hex : start->options->firmware,
        .firmware_elf = named ? elf : keep_elf(start, elf, sizeof elf),
        .restartable = true,
        .pool = (unsigned)start->options->pool,
        .stall = (unsigned)start->options->stall,
        .window = (unsigned)start->options->window,
        .faults = start->faults,
        .fault_count = (unsigned)start->options->faults.count,
        .seed = (uint64_t)start->options->seed,
    };
    return backend_simulated_create(&options, error, error_size);
}

static double hello_time(const struct start *start)
{
    return start->options->hello > 0 ? start->options->hello : start->bitstream ? HELLO_TIME_SIMULATED : HELLO_TIME;
}

static struct backend *make_on_lines(const struct start *start, const struct pr_endpoint *lines, unsigned count,
                                     enum exit_code *code, char *error, size_t error_size)
{
    struct board_consoles consoles = {.consoles = or_abort(calloc(count, sizeof *consoles.consoles)),
                                      .count = count,
                                      .answer_time = hello_time(start)};
    for (unsigned i = 0; i < count; i++)
        board_console_name(&consoles.consoles[i], &lines[i]);
    struct backend *backend = backend_boards_create(&consoles, code, error, error_size);
    free(consoles.consoles);
    return backend;
}

static struct backend *make_bitstream(struct start *start, enum exit_code *code, char *error, size_t error_size)
{
    struct simulated_boards *bench = &start->bench;
    const char *testbed = start->options->common.operands[0];
    if (simulated_contents_write(testbed, start->directory, error, error_size) != 0 ||
        simulated_boards_start(testbed, start->directory, start->options->seed, start->options->capture, bench, error,
                               error_size) != 0)
        return NULL;
    struct backend *backend = make_on_lines(start, bench->lines, bench->count, code, error, error_size);
    if (!backend)
        simulated_boards_end(bench);
    return backend;
}

static struct backend *make_backend(struct start *start, enum exit_code *code, char *error, size_t error_size)
{
    *code = EXIT_USAGE;
    if (start->bitstream)
        return make_bitstream(start, code, error, error_size);
    if (start->lines.count)
        return make_on_lines(start, start->lines.lines, start->lines.count, code, error, error_size);
    if (!start->testbed.consoles.count)
        return make_simulated(start, error, error_size);
    start->testbed.consoles.answer_time = hello_time(start);
    return backend_boards_create(&start->testbed.consoles, code, error, error_size);
}

/* Creates the mesh and lets its sites start. NULL with the exit code, and the reason in error. */
static struct daemon *bring_up(struct start *start, struct backend **backend, enum exit_code *code, char *error)
{
    struct daemon *daemon;
    signals_end_process(); /* making it may mean a compiler run */
    *backend = make_backend(start, code, error, ERROR_SIZE);
    signals_block();
    if (!*backend)
        return NULL;
    daemon = daemon_create(*backend, start->directory, error, ERROR_SIZE);
    if (daemon)
        daemon_start(daemon, start->troubles, sizeof start->troubles);
    else
        (*backend)->functions->destroy(*backend);
    return daemon;
}

static void serve_and_end(struct start *start, struct daemon *daemon, struct backend *backend)
{
    daemon_serve(daemon);
    daemon_destroy(daemon);
    backend->functions->destroy(backend);
    simulated_boards_end(&start->bench);
    pr_run_directory_remove(start->directory, start->lock);
}

/* The daemon gets a session of its own: signals from the terminal must reach only the process that the user has
 * started. */
static void detach(int pipe_end)
{
    setsid();
    int input = open("/dev/null", O_RDONLY);
    dup2(input, STDIN_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int other = STDERR_FILENO + 1; other < HIGHEST_INHERITED; other++)
        if (other != pipe_end)
            close(other);
}

static void begin_log(const struct start *start)
{
    char log[PR_RUN_DIRECTORY_SIZE + 8];
    snprintf(log, sizeof log, "%s/log", start->directory);
    int output = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    dup2(output < 0 ? STDIN_FILENO : output, STDOUT_FILENO);
    dup2(output < 0 ? STDIN_FILENO : output, STDERR_FILENO);
}

_Static_assert((int)ABOUT_KEY_SIZE == (int)LOAD_LOCK_TEXT, "the text of a key fits");

/* For `postroad list` and `postroad load`. */
static void tell_about(const struct start *start)
{
    struct about about = {.sites = start->mesh.sites, .since = time(NULL)};
    const char *nodes = start->bitstream || !has_boards(start) ? start->options->nodes : ABOUT_BOARDS;
    const char *path = has_boards(start) ? start->options->common.operands[0] : start->mesh.path;
    if (!start->lines.count && !realpath(path, about.mesh))
        snprintf(about.mesh, sizeof about.mesh, "%s", path);
    snprintf(about.nodes, sizeof about.nodes, "%s", nodes ? nodes : DEFAULT_NODES);
    load_lock_text(&start->testbed.lock, about.key);
    about.oldest = start->testbed.lock.oldest;
    if (!about_write(start->directory, &about))
        perror("about");
}

/* NULL with the exit code, and the reason in error. */
static struct daemon *take_and_bring_up(struct start *start, struct backend **backend, enum exit_code *code,
                                        char *error)
{
    int used = snprintf(error, ERROR_SIZE, "up:%s: ", start->name);
    start->lock = pr_run_directory_take(start->directory, error + used, ERROR_SIZE - (size_t)used);
    *code = EXIT_USAGE;
    if (start->lock < 0)
        return NULL;
    if (!start->options->foreground)
        begin_log(start);
    tell_about(start);
    struct daemon *daemon = bring_up(start, backend, code, error);
    if (daemon && has_boards(start)) {
        start->mesh = *(*backend)->mesh;
        tell_about(start);
    }
    if (daemon && !about_ready(start->directory))
        perror("about");
    if (!daemon)
        pr_run_directory_remove(start->directory, start->lock);
    return daemon;
}

/* In the log, and to the user. */
static void tell_note(const void *pipe_end, const char *text)
{
    fprintf(stderr, "%s\n", text);
    if (dprintf(*(const int *)pipe_end, "%s%s\n", note, text) < 0)
        fprintf(stderr, "the process that started this one is gone\n");
}

static void run_daemon(struct start *start, int pipe_end)
{
    char error[ERROR_SIZE] = "";
    struct backend *backend;
    enum exit_code code;
    detach(pipe_end);
    verilated_site_on_note(tell_note, &pipe_end);
    board_line_on_note(tell_note, &pipe_end);
    if (start->options->foreground)
        prctl(PR_SET_PDEATHSIG, SIGTERM);
    struct daemon *daemon = take_and_bring_up(start, &backend, &code, error);
    if (dprintf(pipe_end, "%s%s", daemon ? ready : error, start->troubles) < 0)
        fprintf(stderr, "the process that started this one is gone\n");
    board_line_on_note(NULL, NULL); /* from now on to the log alone */
    close(pipe_end);
    if (!daemon)
        _exit(code);
    serve_and_end(start, daemon, backend);
    _exit(EXIT_OK);
}

static void note_time(const struct start *start)
{
    if (has_boards(start) || !site_kinds_have(start->nodes, start->mesh.sites, SITE_QEMU))
        return;
    if (start->options->quantum)
        report_note(&start->options->common,
                    "time: in quanta of %ld clocks; the mesh waits for its sites, and its words repeat",
                    start->options->quantum);
    else
        report_note(&start->options->common,
                    "time: free; deliveries are right, clocks mean nothing (--quantum makes them repeat)");
}

/* The latencies of both kinds differ by a factor of ten. */
static void note_links(const struct start *start)
{
    if (!has_boards(start) && start->mesh.board_links)
        report_note(&start->options->common, "links: %s board links, as `[links] board` of the .mesh file says",
                    mesh_links_kind(&start->mesh));
}

/* The parts of the mesh, for --json. */
static void describe_mesh(const struct start *start, cJSON *object)
{
    if (has_boards(start)) {
        cJSON_AddStringToObject(object, "nodes", start->bitstream ? ABOUT_BITSTREAM : ABOUT_BOARDS);
        cJSON_AddNumberToObject(object, "sites", start->mesh.sites);
        return;
    }
    cJSON_AddStringToObject(object, "mesh", start->mesh.path);
    cJSON_AddStringToObject(object, "engine", simulation_find_engine(start->options->engine)->name);
    cJSON_AddStringToObject(object, "nodes", start->options->nodes ? start->options->nodes : DEFAULT_NODES);
    cJSON_AddStringToObject(object, "links", mesh_links_kind(&start->mesh));
    cJSON_AddNumberToObject(object, "quantum", (double)start->options->quantum);
    cJSON_AddNumberToObject(object, "sites", start->mesh.sites);
    cJSON_AddBoolToObject(object, "reliable", start->mesh.reliable);
    cJSON_AddNumberToObject(object, "seed", (double)start->options->seed);
}

/* Prints the result when the mesh is up; start->troubles are on stderr already. Returns the exit code. */
static int print_ready(const struct start *start, pid_t pid)
{
    int status = *start->troubles ? EXIT_MISMATCH : EXIT_OK;
    if (status != EXIT_OK)
        report_error("up",
                     "the mesh is up without these sites; `postroad load` gives them another image, `postroad down %s` "
                     "ends it",
                     start->name);
    if (start->options->common.verbose)
        report_note(&start->options->common, "%d sites in %s, process %d", start->mesh.sites, start->directory,
                    (int)pid);
    note_time(start);
    note_links(start);
    if (!start->options->common.json) {
        printf("up:%s\n", start->name);
        fflush(stdout);
        return status;
    }
    char endpoint[PR_RUN_NAME_SIZE + 8];
    cJSON *object = report_object("up");
    snprintf(endpoint, sizeof endpoint, "up:%s", start->name);
    cJSON_AddStringToObject(object, "endpoint", endpoint);
    cJSON_AddStringToObject(object, "directory", start->directory);
    describe_mesh(start, object);
    cJSON_AddNumberToObject(object, "pid", pid);
    cJSON_AddBoolToObject(object, "ok", status == EXIT_OK);
    report_print(object, false);
    return status;
}

/* Takes the notes that are whole out of the message, and shows them. What is left of it. */
static size_t show_notes(const struct start *start, char *message, size_t used)
{
    char *end;
    message[used] = 0;
    while (strncmp(message, note, strlen(note)) == 0 && (end = strchr(message, '\n'))) {
        *end = 0;
        report_note(&start->options->common, "%s", message + strlen(note));
        used -= (size_t)(end + 1 - message);
        memmove(message, end + 1, used + 1);
    }
    return used;
}

/* Reads the daemon's message until the daemon closes the pipe. EXIT_INTERRUPTED on a signal. */
static int read_message(const struct start *start, int pipe_end, char *message, size_t size)
{
    size_t used = 0;
    double started = pr_client_now();
    bool noted = false;
    sigset_t none;
    sigemptyset(&none);
    for (;;) {
        struct pollfd poll_end = {.fd = pipe_end, .events = POLLIN};
        struct timespec second = {1, 0};
        int found = ppoll(&poll_end, 1, &second, &none);
        if (found < 0)
            return EXIT_INTERRUPTED;
        ssize_t count = found ? read(pipe_end, message + used, size - 1 - used) : 0;
        if (found && count <= 0)
            break;
        used = show_notes(start, message, used + (size_t)count);
        if (!found && !noted && pr_client_now() - started > 1.5) {
            report_note(&start->options->common, "starting %s (%s/log) ...", start->name, start->directory);
            noted = true;
        }
    }
    message[used] = 0;
    return signals_pending() ? EXIT_INTERRUPTED : EXIT_OK;
}

/* The signals end the daemon at any stage: before it has a process group, in a compiler run, or when it serves. */
static void end_daemon(const struct start *start, pid_t child)
{
    kill(child, SIGTERM);
    kill(-child, SIGTERM);
    waitpid(child, NULL, 0);
    pr_run_directory_clear(start->directory);
}

/* Waits until the daemon ends, or a signal ends it. */
static void stay(pid_t child)
{
    struct pollfd end = {.fd = pidfd_open(child, 0), .events = POLLIN};
    sigset_t none;
    sigemptyset(&none);
    if (ppoll(&end, 1, NULL, &none) < 0)
        kill(child, SIGTERM);
    waitpid(child, NULL, 0);
    close(end.fd);
}

/* The daemon is the first process to have the number of sites of boards, and writes it to RUNDIR/about. */
static void learn_sites(struct start *start)
{
    struct about about;
    if (!has_boards(start))
        return;
    about_read(start->directory, &about);
    start->mesh.sites = about.sites;
}

/* This part runs in the process that the user started. */
static int await_daemon(struct start *start, pid_t child, int pipe_end)
{
    char message[TROUBLES_SIZE] = "";
    int status = read_message(start, pipe_end, message, sizeof message);
    close(pipe_end);
    if (status == EXIT_INTERRUPTED) {
        end_daemon(start, child);
        return status;
    }
    if (strncmp(message, ready, strlen(ready)) == 0) {
        snprintf(start->troubles, sizeof start->troubles, "%s", message + strlen(ready));
        report_errors("up", start->troubles);
        learn_sites(start);
        status = print_ready(start, child);
        if (start->options->foreground)
            stay(child);
        return status;
    }
    waitpid(child, &status, 0);
    if (*message) {
        pr_run_directory_clear(start->directory); /* where descriptors are short the daemon has left something */
        report_errors("up", message);
    } else {
        report_error("up", "the daemon died before the mesh was ready; see %s/log", start->directory);
    }
    if (has_boards(start))
        held_boards_find(&start->options->common);
    return *message && WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_TRANSPORT;
}

static int start_daemon(struct start *start)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return report_failure(EXIT_TRANSPORT, "up", "cannot make a pipe: %s", strerror(errno));
    signals_end_waits();
    pid_t child = fork();
    if (child < 0)
        return report_failure(EXIT_TRANSPORT, "up", "cannot start a process: %s", strerror(errno));
    if (child == 0)
        run_daemon(start, ends[1]);
    close(ends[1]);
    return await_daemon(start, child, ends[0]);
}

static bool check_real_boards(const struct up_options *options)
{
    if (options->capture) {
        report_error("up",
                     "--capture: of simulated boards; `postroad capture TESTBED.ini` captures lines of real ones");
        return false;
    }
    if (!options->nodes && options->seed == 1)
        return check_board_options(options);
    report_error("up", "--%s: of a simulated mesh, not of boards", options->nodes ? "nodes" : "seed");
    return false;
}

static bool refuse_only(const struct up_options *options)
{
    if (options->only)
        report_error("up", "--only %s: expected a testbed of real boards", options->only);
    return !options->only;
}

static int prepare_testbed(struct start *start)
{
    const struct options *options = &start->options->common;
    if (options->operand_count > 1)
        return report_failure(EXIT_USAGE, "up", "%s: expected one testbed file", options->operands[1]);
    if (!check_real_boards(start->options) || !choose_name(start))
        return EXIT_USAGE;
    return up_testbed_find(options->operands[0], start->options->only, &start->testbed);
}

static bool prepare_lines(struct start *start)
{
    const struct options *options = &start->options->common;
    return check_real_boards(start->options) && refuse_only(start->options) &&
           up_lines_parse(options->operands, options->operand_count, &start->lines) && choose_name(start);
}

static bool names_bitstream(const struct up_options *options)
{
    return options->nodes && strcmp(options->nodes, ABOUT_BITSTREAM) == 0;
}

/* A capture that simulate_boards would refuse is refused before anything starts. */
static bool check_board_capture(const char *text)
{
    struct capture_options capture;
    char error[ERROR_SIZE];
    if (!text || capture_options_parse(text, CAPTURE_OF_BOARDS, &capture, error, sizeof error) == 0)
        return true;
    report_error("up", "--capture %s", error);
    return false;
}

static bool check_mesh_capture(const struct start *start)
{
    const char *text = start->options->capture;
    struct mesh_ports ports;
    char error[ERROR_SIZE];
    if (!text || mesh_ports_choose(&start->mesh, NULL, text, &ports, error, sizeof error) == 0)
        return true;
    report_error("up", "--capture %s", error);
    return false;
}

static bool prepare_bitstream(struct start *start)
{
    const struct options *options = &start->options->common;
    start->bitstream = true;
    if (options->operand_count > 1) {
        report_error("up", "%s: expected one testbed file", options->operands[1]);
        return false;
    }
    return check_board_options(start->options) && refuse_only(start->options) &&
           check_board_capture(start->options->capture) && choose_name(start);
}

static bool prepare_simulated(struct start *start)
{
    const struct up_options *options = start->options;
    char error[ERROR_SIZE];
    if (options->hello > 0) {
        report_error("up", "--hello: of boards, not of a simulated mesh");
        return false;
    }
    if (options->common.operand_count > 1) {
        report_error("up", "%s: expected one FILE.mesh", options->common.operands[1]);
        return false;
    }
    const struct mesh_settings settings = {options->set.count, options->set.items};
    if (mesh_config_load_set(options->common.operands[0], &settings, &start->mesh, &start->mesh_text, error,
                             sizeof error) != 0 ||
        (options->reliable >= 0 && mesh_choose_service(&start->mesh, options->reliable, error, sizeof error) != 0)) {
        report_error("up", "%s", error);
        return false;
    }
    return refuse_only(options) && choose_name(start) && choose_engine(start) && choose_nodes(start) &&
           choose_faults(start) && check_image(start) && check_mesh_capture(start);
}

static int prepare(struct start *start)
{
    const char *operand = start->options->common.operands[0];
    if (up_testbed_named(operand) && !names_bitstream(start->options))
        return prepare_testbed(start);
    bool good = up_lines_named(operand)           ? prepare_lines(start)
                : names_bitstream(start->options) ? prepare_bitstream(start)
                                                  : prepare_simulated(start);
    return good ? EXIT_OK : EXIT_USAGE;
}

static int run(const struct options *options)
{
    struct start start = {.options = (const void *)options};
    int status = prepare(&start);
    if (status == EXIT_OK)
        status = start_daemon(&start);
    up_lines_free(&start.lines);
    if (start.testbed.consoles.has_testbed)
        up_testbed_free(&start.testbed);
    free(start.nodes);
    free(start.mesh_text);
    return status;
}

static const struct option_row rows[] = {
    {.name = "nodes",
     .kind = OPTION_TEXT,
     .argument = "KINDS",
     OPTION_FIELD(struct up_options, nodes),
     .words = SITE_KIND_WORDS ABOUT_BITSTREAM " ",
     .otherwise = DEFAULT_NODES,
     .help = "what runs the firmware: core, native (faster), qemu, some sites: qemu:0-3,native:4-7; or bitstream",
     .manual =
         "What runs the firmware: `core`, `native` or `qemu`; or a kind for some sites: `qemu:0-3,8,native:4-7`. "
         "Sites that are not named are cores, or of a kind that is named without sites: `qemu:0-3,native`. Under "
         "QEMU (`qemu-system-riscv32`, one process for each site) the image is that of the core, and the fabric "
         "beside it is the same Verilog. With `bitstream` alone the file is a testbed: boards, the bitstreams that "
         "they are flashed with, and their cables (sim/bitstream/README.md)."},
    {.name = "engine",
     .kind = OPTION_TEXT,
     .argument = "NAME",
     OPTION_FIELD(struct up_options, engine),
     .words = "rtl functional",
     .otherwise = "rtl",
     .help = "the simulator; rtl: the fabric is the Verilog, clock by clock; functional: an event-driven model of the "
             "fabrics that have one, faster (sim/functional/README.md)"},
    {.name = "quantum",
     .kind = OPTION_NUMBER,
     .argument = "CLOCKS",
     OPTION_FIELD(struct up_options, quantum),
     .minimum = 1,
     .maximum = 1000000,
     .otherwise = "free",
     .help = "with qemu: clocks between two looks at the guests; time repeats then",
     .manual = "For sites under QEMU: the clocks run in blocks of this length, and no block begins before every guest "
               "has finished its work. A guest then takes no time, the words of each clock repeat on every machine, "
               "and a guest that is stopped in a debugger stops the mesh. Without this option time is free: the fabric "
               "goes on while guests work, waits a little for them, and goes on without a guest that is stopped. "
               "Deliveries are correct then, but clocks mean little."},
    {.name = "firmware",
     .kind = OPTION_TEXT,
     .argument = "FILE",
     OPTION_FIELD(struct up_options, firmware),
     .file = FILE_READ,
     .words = "@file",
     .otherwise = "the node's",
     .help = "image for the sites: an .elf, or a .hex with its .elf beside it"},
    {.name = "pool",
     .kind = OPTION_NUMBER,
     .argument = "N",
     OPTION_FIELD(struct up_options, pool),
     .minimum = 3,
     .maximum = 65536,
     .otherwise = OPTION_CONSTANT(SIMULATION_DEFAULT_POOL),
     .help = "native nodes: packet buffers of a site"},
    {.name = "stall",
     .kind = OPTION_NUMBER,
     .argument = "PERCENT",
     OPTION_FIELD(struct up_options, stall),
     .maximum = 99,
     .initial = "0",
     .help = "native nodes: the share of its polls that an operator misses, at random"},
    {.name = "seed",
     .kind = OPTION_NUMBER,
     .argument = "N",
     OPTION_FIELD(struct up_options, seed),
     .maximum = LONG_MAX,
     .initial = "1",
     .help = "seed of stalls and faults"},
    {.name = "reliable",
     .kind = OPTION_NUMBER,
     .argument = "0|1",
     OPTION_FIELD(struct up_options, reliable),
     .maximum = 1,
     .words = "0 1",
     .otherwise = "the file's, 1 if it has none",
     .help = "1: every packet delivered or reported; 0: the papers' raw service"},
    {.name = "window",
     .kind = OPTION_NUMBER,
     .argument = "N",
     OPTION_FIELD(struct up_options, window),
     .minimum = 1,
     .maximum = PR_WINDOW_MAX,
     .otherwise = OPTION_CONSTANT(SIMULATION_DEFAULT_WINDOW),
     .help = "native nodes: packets of a site that may wait for acknowledgements",
     .manual = "Native operators, reliable service: the packets of a site that may wait for acknowledgements at the "
               "same time, from 1 to 32."},
    {.name = "set",
     .kind = OPTION_LIST,
     .argument = "KEY=VALUE",
     OPTION_FIELD(struct up_options, set),
     .help = "another value of a key of FILE.mesh, buffers.max_packet=64; may be given often",
     .manual =
         "Sets <SECTION>`.`<KEY> of the `.mesh` file to another value, as if the file had it; without a value, to "
         "the key's default. The option may be given often."},
    {.name = "fault",
     .kind = OPTION_LIST,
     .argument = "FAULT",
     OPTION_FIELD(struct up_options, faults),
     .words = "corrupt: link: reset: stop:",
     .help = "something goes wrong, as with postroad sim --help; may be given often",
     .manual = "Injects a fault at a clock, or again and again at random: damaged words, a dead link, a reset of a "
               "site, or an operator that stops. The option may be given often: `reset:5:200000`, "
               "`link:1.east:100000:50000`, `corrupt:0.001`. The subsection on `sim` has the grammar. The clocks of an "
               "idle mesh pass at its own rate."},
    {.name = "only",
     .kind = OPTION_TEXT,
     .argument = "NAMES",
     OPTION_FIELD(struct up_options, only),
     .expected = "names of boards with commas between them",
     .help = "testbed: consoles of these boards; the others are reached over the mesh",
     .manual = "Of a testbed: only the consoles of these boards are used, names with commas between them. The other "
               "boards need no USB connection; they are reached over the mesh."},
    {.name = "hello",
     .kind = OPTION_SECONDS,
     .argument = "SECONDS",
     OPTION_FIELD(struct up_options, hello),
     .otherwise = OPTION_CONSTANT(HELLO_TIME) "; bitstream: " OPTION_CONSTANT(HELLO_TIME_SIMULATED),
     .help = "boards: for a node to answer"},
    {.name = "capture",
     .kind = OPTION_TEXT,
     .argument = "FILE",
     OPTION_FIELD(struct up_options, capture),
     .expected = CAPTURE_OPTIONS_FORM,
     .file = FILE_WRITTEN_SETTINGS,
     .words = "@file",
     .help = "simulated: what an analyser sees of the lines, FILE.sr or .vcd[,rate=24m]...",
     .manual =
         "Of a simulated mesh as with `sim`. Simulated boards: a virtual logic analyser writes what the lines between the "
         "boards show, from power-on to `down`. The channels are those of the testbed's section `[analyser]`, or all "
         "lines. <FILE> ends with .sr (sigrok, PulseView) or .vcd. Behind it may stand `,rate=`<SAMPLES> per second (`24m`; "
         "without it the testbed's, else 24m), `,ppm=`<N>, by which the analyser's clock is fast, and `,jitter=100p`, the "
         "standard deviation of the time at which an edge is seen."},
    {.name = "foreground",
     .letter = 'f',
     .kind = OPTION_FLAG,
     OPTION_FIELD(struct up_options, foreground),
     .help = "the daemon stays in the foreground"},
    {.name = NULL},
};

static const struct up_options defaults = {.reliable = -1, .hello = -1};

static const char manual[] =
    "Starts the mesh that <FILE.mesh> describes in the background, waits until its nodes have started, and prints "
    "its endpoint, `up:`<NAME>. `--nodes` selects what runs the firmware of the sites: cores by default, QEMU, or "
    "native operators, which are many times faster. A mesh with nothing to do uses no processor time.\n"
    "With serial lines, `tty:`<PATH>[`@`<BAUD>], the verb brings up boards. Every node is asked for its identity, "
    "which contains its site number and the hash of its mesh. The mesh is up when every site of one mesh is there "
    "exactly once. A <PATH> may be a pattern as in the shell. The default rate is 1000000 baud. A board that is "
    "unplugged is reported in the log, and its line is opened again when it is back.\n"
    "With a testbed file, which ends with .ini, the console of each board is found on USB: by serial number, port and type, "
    "whatever its tty is called. All boards that are missing or ambiguous are reported at once (exit status 2), and each "
    "node must be the site that the file has at its board (3). A board that is unplugged is reported with its name, sought "
    "again, and taken in again wherever it is plugged in, under any name of its tty. Sites without a console of "
    "their own are reached over the mesh: the further sites of a board with several, and boards that `--only` leaves out. "
    "They are loaded, too, but `listen`, `console` and `--from` need a console.\n"
    "If firmware crashes, ends or hangs at its start, the verb names the sites with the place in the source, and "
    "the exit status is 3. The mesh stays up for the other sites, and for `load`. The first use of a new "
    "combination of parameters compiles a simulator, which takes a while.";

static const struct json_key keys[] = {
    {"endpoint", "text", "where the mesh is reached, `up:NAME`"},
    {"directory", "text", "the run directory"},
    {"mesh", "text", "path of the .mesh file; not for boards"},
    {"engine", "text", "the simulator; not for boards"},
    {"nodes", "text", "what runs the firmware: `--nodes`, or `core`; `boards` on serial lines"},
    {"quantum", "clocks", "length of a block of clocks; 0: free time"},
    {"sites", "sites", "number of sites"},
    {"links", "text", "simulated: of a `chip`, or between boards, by the `shared` engine or `eager`"},
    {"reliable", "true or false", "the mesh has the reliable service"},
    {"seed", "number", "seed of stalls and faults"},
    {"pid", "process", "the daemon"},
    {"ok", "true or false", "false: the firmware of some sites has crashed, ended or hung at its start"},
    {NULL, NULL, NULL},
};

const struct verb verb_up = {
    .name = "up",
    .operands = "FILE.mesh | TESTBED.ini | tty:PATH[@BAUD]...",
    .summary = "Brings up a simulated mesh, or boards on serial lines, and prints its endpoint.",
    .manual = manual,
    .operands_min = 1,
    .operands_max = LINES_MAX,
    .operand_words = {"@mesh-file"},
    .common = COMMON_NAME | COMMON_OUTPUT | COMMON_VERBOSE,
    .rows = rows,
    .keys = keys,
    .size = sizeof(struct up_options),
    .defaults = &defaults,
    .run = run,
};
