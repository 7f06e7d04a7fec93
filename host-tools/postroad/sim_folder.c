/* See sim_folder.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE /* F_OFD_SETLK */
#include "postroad/sim_folder.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "cli/report.h"
#include "experiment/result_stream.h"
#include "postroad/checkpoint_part.h"
#include "support/install_paths.h"
#include "support/or_abort.h"
#include "support/output_file.h"

enum { FILE_MOST = 1 << 28, RECORDED_LINKS = 4096, COMMAND_SIZE = 65536, HEADER_LINES = 3, HEADER_LINE = 160 };

static const char settings_name[] = "run.json", mesh_name[] = "run.mesh", points_name[] = "points";

/* Of this process and what it shows, and not of the plan; and what may be more than in the plan, with the same points.
 */
static const char *const own_options[] = {"out", "resume", "check", "part", "jobs", "json", "quiet", "verbose", "csv"};
static const char repeat[] = "repeat";

const char *const sim_point_states[] = {
    [POINT_GOOD] = "good",
    [POINT_FAILED] = "could not be started",
    [POINT_MISSING] = "missing",
    [POINT_DAMAGED] = "damaged",
    [POINT_OTHER_PROGRAM] = "of another program",
    [POINT_OTHER_MESH] = "of another mesh",
    [POINT_OTHER_SETTINGS] = "of other settings",
};

static bool is_own(const char *name)
{
    for (size_t i = 0; i < sizeof own_options / sizeof *own_options; i++)
        if (strcmp(name, own_options[i]) == 0)
            return true;
    return false;
}

const char *sim_folder_file(const struct sim_folder *folder, const char *name, char out[SIM_PATH])
{
    snprintf(out, SIM_PATH, "%s/%s", folder->path, name);
    return out;
}

bool sim_folder_there(const char *path)
{
    char name[SIM_PATH];
    return access(sim_folder_file(&(struct sim_folder){.path = path}, settings_name, name), F_OK) == 0;
}

/* All of an ordinary file, with a zero behind it, which the caller frees; NULL with errno. It may be written anew. */
static char *read_all(const char *path, size_t *length)
{
    struct stat status;
    bool there = stat(path, &status) == 0, good = there && S_ISREG(status.st_mode) && status.st_size <= FILE_MOST;
    FILE *file = good ? fopen(path, "re") : NULL;
    char *bytes = file ? malloc((size_t)status.st_size + 1) : NULL;
    *length = bytes ? fread(bytes, 1, (size_t)status.st_size, file) : 0;
    if (bytes)
        bytes[*length] = 0;
    if (file)
        fclose(file);
    if (there && !good)
        errno = EINVAL;
    return bytes;
}

char *sim_folder_read(const struct sim_folder *folder, const char *name)
{
    char path[SIM_PATH];
    size_t length;
    return read_all(sim_folder_file(folder, name, path), &length);
}

static int write_file(const char *path, const char *header, const char *bytes, size_t length, char *error,
                      size_t error_size)
{
    struct output_file output;
    if (output_file_open(&output, path, error, error_size) != 0)
        return -1;
    fputs(header, output.file);
    fwrite(bytes, 1, length, output.file);
    return output_file_close(&output, error, error_size);
}

/* ---- Settings. */

/* Of the tree that the program lies in; an installed program has its version alone. */
static void add_commit(cJSON *settings)
{
    char top[SIM_PATH], commit[64] = "";
    if (install_paths_top(top, sizeof top) != 0 || setenv("POSTROAD_TOP", top, 1) != 0)
        return;
    FILE *git = popen("git -C \"$POSTROAD_TOP\" describe --always --dirty --abbrev=12 --exclude '*' 2>/dev/null", "re");
    if (git && fscanf(git, "%63s", commit) == 1)
        cJSON_AddStringToObject(settings, "commit", commit);
    if (git)
        pclose(git);
    unsetenv("POSTROAD_TOP");
}

/* As this process got it, a word each. */
static void add_command(cJSON *settings)
{
    cJSON *words = cJSON_AddArrayToObject(settings, "command");
    char text[COMMAND_SIZE] = "";
    FILE *file = fopen("/proc/self/cmdline", "re");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    for (size_t at = 0; at < length; at += strlen(text + at) + 1)
        cJSON_AddItemToArray(words, cJSON_CreateString(text + at));
    if (file)
        fclose(file);
}

static const char *text_of(const struct sim_folder *folder, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(folder->settings, key));
    return text ? text : "";
}

static void add_option(cJSON *list, const char *name, const char *value)
{
    char *text;
    if (asprintf(&text, "%s=%s", name, value) < 0)
        abort();
    cJSON_AddItemToArray(list, cJSON_CreateString(text));
    free(text);
}

static bool is_given(const struct options *options, const struct option_row *row)
{
    for (size_t i = 0; i < options->given_count; i++)
        if (options->given[i].row == row)
            return true;
    return false;
}

static void add_options(cJSON *settings, const struct options *options)
{
    cJSON *given = cJSON_AddArrayToObject(settings, "options"), *others = cJSON_AddObjectToObject(settings, "defaults");
    for (size_t i = 0; i < options->given_count; i++)
        if (!is_own(options->given[i].row->name))
            add_option(given, options->given[i].row->name, options->given[i].value);
    for (const struct option_row *row = sim_option_rows; row->name; row++)
        if (options_default(row) && !is_own(row->name) && !is_given(options, row))
            cJSON_AddStringToObject(others, row->name, options_default(row));
}

static bool is_repeat(const char *option)
{
    return strncmp(option, repeat, strlen(repeat)) == 0 && option[strlen(repeat)] == '=';
}

/* The order in which options were given does not matter, nor how often points are repeated. */
static unsigned sum_options(const cJSON *settings)
{
    unsigned sum = 0;
    const cJSON *option;
    cJSON_ArrayForEach(option, cJSON_GetObjectItemCaseSensitive(settings, "options"))
    {
        const char *text = cJSON_IsString(option) ? option->valuestring : "";
        sum += is_repeat(text) ? 0 : (unsigned)crc32_z(0, (const uint8_t *)text, strlen(text));
    }
    return sum;
}

static int write_settings(const struct sim_folder *folder, char *error, size_t error_size)
{
    char path[SIM_PATH], *text = or_abort(cJSON_Print(folder->settings));
    int status = write_file(sim_folder_file(folder, settings_name, path), "", text, strlen(text), error, error_size);
    free(text);
    return status;
}

static int make_folders(const struct sim_folder *folder, char *error, size_t error_size)
{
    char points[SIM_PATH];
    bool made = mkdir(folder->path, 0777) == 0;
    if (made && mkdir(sim_folder_file(folder, points_name, points), 0777) == 0)
        return 0;
    if (!made && errno == EEXIST && sim_folder_there(folder->path))
        snprintf(error, error_size, "--out %s is a run folder, expected a new one, or --resume %s", folder->path,
                 folder->path);
    else
        snprintf(error, error_size, "--out %s: %s, expected a name for a new folder", folder->path, strerror(errno));
    return -1;
}

static int fill_folder(const struct sim_folder *folder, const char *mesh, size_t length, char *error, size_t error_size)
{
    char points[SIM_PATH];
    if (make_folders(folder, error, error_size) != 0)
        return -1;
    if (write_file(folder->mesh, "", mesh, length, error, error_size) == 0 &&
        write_settings(folder, error, error_size) == 0)
        return 0;
    unlink(folder->mesh);
    rmdir(sim_folder_file(folder, points_name, points));
    rmdir(folder->path);
    return -1;
}

int sim_folder_make(struct sim_folder *folder, const char *path, const struct sim_options *options, char *error,
                    size_t error_size)
{
    const char *mesh = options->common.operands[0];
    char build[CHECKPOINT_BUILD];
    size_t length;
    *folder = (struct sim_folder){.path = path, .settings = report_object("run")};
    checkpoint_build(build);
    sim_folder_file(folder, mesh_name, folder->mesh);
    add_commit(folder->settings);
    cJSON_AddStringToObject(folder->settings, "build", build);
    add_command(folder->settings);
    cJSON_AddStringToObject(folder->settings, "mesh", mesh);
    add_options(folder->settings, &options->common);
    folder->sum = sum_options(folder->settings);
    char *text = read_all(mesh, &length);
    if (!text)
        snprintf(error, error_size, "--out with %s: %s, expected an ordinary file", mesh, strerror(errno));
    int status = text ? fill_folder(folder, text, length, error, error_size) : -1;
    free(text);
    return status;
}

static int refuse_given(const struct sim_folder *folder, const struct options *options, char *error, size_t error_size)
{
    const char *odd = options->operand_count ? options->operands[0] : NULL;
    for (size_t i = 0; i < options->given_count && !odd; i++)
        if (!is_own(options->given[i].row->name) && strcmp(options->given[i].row->name, repeat) != 0)
            odd = options->given[i].row->name;
    snprintf(
        error, error_size,
        "%s with the run folder %s, which has mesh and options; expected those of output, --jobs, --part or --repeat",
        odd, folder->path);
    return odd ? -1 : 0;
}

static int assign_options(const cJSON *list, const struct verb *verb, struct sim_options *options, char *error,
                          size_t error_size)
{
    const cJSON *option;
    cJSON_ArrayForEach(option, list)
    {
        const char *text = cJSON_IsString(option) ? option->valuestring : "";
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "="), text);
        if (options_assign(verb, &options->common, name, text + strcspn(text, "=") + !!*text, error, error_size) != 0)
            return -1;
    }
    return 0;
}

/* The options of the folder, with those of this process. */
static int take_options(const struct sim_folder *folder, const struct verb *verb, struct sim_options *options,
                        char *error, size_t error_size)
{
    static const char *operand; /* of one folder */
    const struct sim_options own = *options;
    options_begin(verb, &options->common);
    if (assign_options(cJSON_GetObjectItemCaseSensitive(folder->settings, "options"), verb, options, error,
                       error_size) != 0)
        return -1;
    int before = sim_options_repeats(options);
    operand = text_of(folder, "mesh");
    options->common.operands = (char **)(uintptr_t)&operand;
    options->common.operand_count = 1;
    options->common.json = own.common.json;
    options->common.quiet = own.common.quiet;
    options->common.verbose = own.common.verbose;
    options->jobs = own.jobs;
    options->part = own.part;
    options->csv = own.csv;
    options->verify = own.verify;
    options->repeat = own.repeat ? own.repeat : options->repeat;
    snprintf(error, error_size, "--repeat %d: the folder has %d, expected as many or more", own.repeat, before);
    return sim_options_repeats(options) < before ? -1 : 0;
}

int sim_folder_open(struct sim_folder *folder, const char *path, const struct verb *verb, struct sim_options *options,
                    char *error, size_t error_size)
{
    *folder = (struct sim_folder){.path = path};
    if (refuse_given(folder, &options->common, error, error_size) != 0)
        return -1;
    char *text = sim_folder_read(folder, settings_name);
    folder->settings = text ? cJSON_Parse(text) : NULL;
    free(text);
    snprintf(error, error_size, "%s: expected a run folder, of postroad sim --out", path);
    if (!folder->settings || strcmp(text_of(folder, "schema"), "postroad.run") != 0)
        return -1;
    sim_folder_file(folder, mesh_name, folder->mesh);
    folder->sum = sum_options(folder->settings);
    return take_options(folder, verb, options, error, error_size);
}

int sim_folder_check_program(const struct sim_folder *folder, char *error, size_t error_size)
{
    char build[CHECKPOINT_BUILD];
    checkpoint_build(build);
    snprintf(error, error_size,
             "%s was made by another build of postroad: version %s, commit %s; expected the same program", folder->path,
             text_of(folder, "version"), text_of(folder, "commit"));
    return strcmp(text_of(folder, "build"), build) == 0 ? 0 : -1;
}

int sim_folder_extend(struct sim_folder *folder, int repeats, char *error, size_t error_size)
{
    cJSON *list = cJSON_GetObjectItemCaseSensitive(folder->settings, "options");
    char number[16];
    snprintf(number, sizeof number, "%d", repeats);
    for (int i = cJSON_GetArraySize(list); i-- > 0;)
        if (is_repeat(cJSON_GetStringValue(cJSON_GetArrayItem(list, i))))
            cJSON_DeleteItemFromArray(list, i);
    add_option(list, repeat, number);
    return write_settings(folder, error, error_size);
}

void sim_folder_close(struct sim_folder *folder)
{
    cJSON_Delete(folder->settings);
    folder->settings = NULL;
}

/* ---- Points: lines that say of what the result is, one that says how it ended and what follows, and the result. */

static const char last_line[] = "end %d, bytes %zu, sum %08x\n";

static void write_header(const struct sim_folder *folder, const struct sim_run *run, char lines[][HEADER_LINE])
{
    snprintf(lines[0], HEADER_LINE, "postroad point 1, build %s\n", text_of(folder, "build"));
    snprintf(lines[1], HEADER_LINE, "mesh %08" PRIx32 "\n", run->of->mesh.hash);
    snprintf(lines[2], HEADER_LINE, "settings %08x, load %a, seed %" PRIu64 "\n", folder->sum, run->load, run->seed);
}

const char *sim_point_name(const struct sim_run *run, char out[SIM_POINT_NAME])
{
    snprintf(out, SIM_POINT_NAME, "point-%04d-load-%.10g-seed-%" PRIu64, run->number + 1, run->load, run->seed);
    return out;
}

static void point_file(const struct sim_folder *folder, const struct sim_run *run, char out[SIM_PATH])
{
    char name[SIM_POINT_NAME];
    snprintf(out, SIM_PATH, "%s/%s/%s", folder->path, points_name, sim_point_name(run, name));
}

static size_t all_links(const struct sim_run *run)
{
    return (size_t)run->of->mesh.sites * (size_t)run->of->mesh.links;
}

/* `content` is what follows the header, with its length. */
static enum sim_point_state judge(const struct sim_folder *folder, const struct sim_run *run, char *bytes,
                                  size_t *length, char **content)
{
    char lines[HEADER_LINES][HEADER_LINE], *at = bytes, *end;
    enum sim_point_state state = POINT_GOOD;
    size_t said;
    int how;
    unsigned sum;
    write_header(folder, run, lines);
    for (int i = 0; i < HEADER_LINES; i++, at = end + 1) {
        if (!(end = strchr(at, '\n')))
            return POINT_DAMAGED;
        if (state == POINT_GOOD && strncmp(at, lines[i], (size_t)(end + 1 - at)) != 0)
            state = POINT_OTHER_PROGRAM + (unsigned)i;
    }
    if (!(end = strchr(at, '\n')) || sscanf(at, last_line, &how, &said, &sum) != 3)
        return POINT_DAMAGED;
    *content = end + 1;
    *length -= (size_t)(*content - bytes);
    if (said != *length || sum != crc32_z(0, (const uint8_t *)*content, *length))
        return POINT_DAMAGED;
    return state == POINT_GOOD && how == END_FAILED ? POINT_FAILED : state;
}

/* With a result, reads it. */
static enum sim_point_state take_point(const struct sim_folder *folder, const struct sim_run *run,
                                       struct experiment_result *result)
{
    char path[SIM_PATH], *content;
    size_t length;
    point_file(folder, run, path);
    char *bytes = read_all(path, &length);
    if (!bytes)
        return POINT_MISSING;
    enum sim_point_state state = judge(folder, run, bytes, &length, &content);
    FILE *file = result && state <= POINT_FAILED ? fmemopen(content, length, "r") : NULL;
    if (file && result_stream_read(file, result, all_links(run)) != 0)
        state = POINT_DAMAGED;
    if (file)
        fclose(file);
    free(bytes);
    return state;
}

enum sim_point_state sim_point_look(const struct sim_folder *folder, const struct sim_run *run)
{
    return take_point(folder, run, NULL);
}

void sim_point_read(const struct sim_folder *folder, const struct sim_run *run, struct experiment_result *result)
{
    char name[SIM_POINT_NAME];
    *result = (struct experiment_result){.end = END_FAILED};
    enum sim_point_state state = take_point(folder, run, result);
    if (state <= POINT_FAILED)
        return;
    *result = (struct experiment_result){.end = END_FAILED};
    snprintf(result->diagnosis, sizeof result->diagnosis, "%s: %s", sim_point_name(run, name), sim_point_states[state]);
}

static void write_point(const struct sim_folder *folder, const struct sim_run *run, struct experiment_result *result)
{
    char path[SIM_PATH], lines[HEADER_LINES][HEADER_LINE], header[(HEADER_LINES + 1) * HEADER_LINE], *bytes = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&bytes, &length);
    if (!memory || result_stream_write(memory, result, all_links(run)) != 0 || fclose(memory) != 0)
        abort();
    write_header(folder, run, lines);
    int used = snprintf(header, sizeof header, "%s%s%s", lines[0], lines[1], lines[2]);
    snprintf(header + used, sizeof header - (size_t)used, last_line, (int)result->end, length,
             (unsigned)crc32_z(0, (const uint8_t *)bytes, length));
    point_file(folder, run, path);
    write_file(path, header, bytes, length, result->capture_error, sizeof result->capture_error);
    free(bytes);
}

/* Returns a descriptor that holds the claim of a run, or -1: another process has it. Where a file system has no locks
 * a run may be made twice, with the same result. */
static int claim(const struct sim_folder *folder, const struct sim_run *run)
{
    char path[SIM_PATH];
    uint64_t repeated = run->seed - run->of->options.experiment.traffic.seed;
    struct flock lock = {.l_type = F_WRLCK,
                         .l_whence = SEEK_SET,
                         .l_start = (off_t)run->number * SIM_MAX_REPEATS + (off_t)repeated,
                         .l_len = 1};
    int claims = open(sim_folder_file(folder, "claims", path), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (claims >= 0 && fcntl(claims, F_OFD_SETLK, &lock) != 0 && (errno == EAGAIN || errno == EACCES)) {
        close(claims);
        return -1;
    }
    return claims >= 0 ? claims : open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* Are all runs of a point there, and saturated? With --until the first ones tell. */
static bool is_saturated(const struct sim_folder *folder, struct sim_run run)
{
    const struct sim_options *options = &run.of->options;
    int runs = sim_options_repeats(options);
    bool saturated = true;
    if (options->until > 0 && runs > SIM_UNTIL_LEAST)
        runs = SIM_UNTIL_LEAST;
    for (int i = 0; i < runs && saturated; i++) {
        struct experiment_result result;
        run.seed = options->experiment.traffic.seed + (uint64_t)i;
        sim_point_read(folder, &run, &result);
        saturated = result.saturated;
        experiment_result_free(&result);
    }
    return saturated;
}

bool sim_point_behind(const struct sim_folder *folder, const struct sim_run *run)
{
    const struct sim_options *options = &run->of->options;
    int place = run->number % options->load_count, saturated = 0;
    for (int i = 0; options->load_ends && i < place && saturated < SIM_SATURATED_POINTS; i++) {
        struct sim_run before = *run;
        before.load = options->loads[i];
        before.number -= place - i;
        saturated += is_saturated(folder, before);
    }
    return saturated == SIM_SATURATED_POINTS;
}

void sim_point_make(const struct sim_run *run, experiment_report *report, void *context,
                    struct experiment_result *result)
{
    const struct sim_folder *folder = run->of->folder;
    struct experiment_options options = sim_run_options(run);
    int held = folder ? claim(folder, run) : -1;
    /* It may have been made since it was listed. */
    enum sim_point_state state = held >= 0 ? sim_point_look(folder, run) : POINT_GOOD;
    *result = (struct experiment_result){.end = END_INTERRUPTED};
    options.recorded = folder && all_links(run) <= RECORDED_LINKS &&
                       run->seed == run->of->options.experiment.traffic.seed;
    if (!folder || (state >= POINT_FAILED && state <= POINT_DAMAGED && !sim_point_behind(folder, run)))
        experiment_run(&run->of->mesh, &options, report, context, result);
    if (held >= 0 && result->end != END_INTERRUPTED)
        write_point(folder, run, result);
    if (held >= 0)
        close(held);
}
