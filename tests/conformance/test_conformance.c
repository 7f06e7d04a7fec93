/* Conformance: every discipline, kind of site, topology, service and simulator gets the same packets, which the same
 * scoreboard judges. The table `rows` has them: each mesh with each kind of site that its row names does the work that
 * its row names: half of it, which SEED draws; LONG: all. Then come single runs, with what must hold of their figures.
 *
 * A discipline without a row fails, and so does a .mesh file of hw/mesh, or a key of a discipline, that no row has.
 *
 * usage: test_conformance [GLOB...]   only meshes and runs with these names, or runs MESH/WORK/KIND, LONG=1 or not
 * environment: SEED (1); LONG: 1 for all rows and ten times the packets; VERBOSE: each run as a command of `postroad
 * sim`, and the mesh of a pair; JSON: the last run as an object of JSON, on the last line
 * time limit: 2400 s
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include <fnmatch.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "engine/rtl_engine.h"
#include "engine/verilated_site.h"
#include "functional/functional_engine.h"
#include "mesh/discipline.h"
#include "mesh/mesh_settings.h"
#include "outcome.h"
#include "pairs.h"
#include "rows.h"
#include "sim/ideal_engine/ideal_engine.h"

enum { OUTCOMES_MOST = 2000, SETS_MOST = 150, LONG_FACTOR = 10, PAIRS_DRAWN = 2 };

static struct rows rows;
static struct outcome outcomes[OUTCOMES_MOST];
static unsigned outcome_count;
static bool long_form;
static char **globs;
static uint64_t seed;

static const struct outcome *find_outcome(const char *name)
{
    for (unsigned i = 0; i < outcome_count; i++)
        if (strcmp(outcomes[i].name, name) == 0)
            return &outcomes[i];
    return NULL;
}

/* Rows that the command line names, of runs by their meshes, or those of this form. */
static bool is_chosen(const struct row *row, const char *when)
{
    for (char **glob = globs; *glob; glob++) {
        char pattern[100];
        snprintf(pattern, sizeof pattern, "%.*s", (int)strcspn(*glob, "/"), *glob);
        if (fnmatch(pattern, row->name, 0) == 0)
            return true;
    }
    return !*globs && (long_form || row_is_short(when));
}

/* Is a run MESH/WORK/KIND of a chosen mesh wanted? A name of runs leaves the others of its mesh out. */
static bool is_wanted(const char *name)
{
    bool narrowed = false;
    for (char **glob = globs; *glob; glob++) {
        if (fnmatch(*glob, name, 0) == 0)
            return true;
        narrowed |= strchr(*glob, '/') != NULL;
    }
    return !narrowed;
}

/* The sets that have been opened: they stay open, so that no run looks whether its set is up to date. */
static struct {
    char name[VERILATED_SITE_SET];
    struct verilated_site site;
} sets[SETS_MOST];
static unsigned set_count;

static void need_set(const struct mesh_config *mesh, bool whole_site)
{
    char name[VERILATED_SITE_SET], error[1000];
    verilated_site_set(name, mesh, whole_site, SITE_PLAIN);
    for (unsigned i = 0; i < set_count; i++)
        if (strcmp(sets[i].name, name) == 0)
            return;
    CHECK(set_count < SETS_MOST);
    strcpy(sets[set_count].name, name);
    check(verilated_site_open(&sets[set_count++].site, mesh, whole_site, SITE_PLAIN, error, sizeof error) == 0, "%s",
          error);
}

/* Which sets a run with these options needs: whole sites where there are cores, fabrics for the others. */
static void need_sets(const struct mesh_config *mesh, const char *options)
{
    const char *nodes = strstr(options, "--nodes");
    bool cores = nodes && strstr(nodes, "core");
    if (strstr(options, "--engine"))
        return;
    if (cores)
        need_set(mesh, true);
    if (!cores || strstr(nodes, "native") || strstr(nodes, "qemu"))
        need_set(mesh, false);
}

/* The packets of a row, of which a mesh of this WHEN does a part. */
static uint64_t packets_of(const struct row *row, const char *text, const char *when)
{
    char *end;
    uint64_t packets = strtoull(text, &end, 10);
    check(*text && (!*end || strcmp(end, "!") == 0), "line %u: '%s' packets", row->line, text);
    return *end ? packets : packets * (long_form ? LONG_FACTOR : 1) / row_share(when);
}

/* One run under the name of its outcome. What its options leave open is drawn for `drawn_for`. */
static struct outcome *run(const char *name, const char *drawn_for, const struct mesh_config *mesh, const char *text,
                           uint64_t packets, const char *must)
{
    char options[ROW_OPTIONS + 40], places[ROW_OPTIONS];
    struct outcome *outcome = &outcomes[outcome_count];
    clock_t began = clock();
    CHECK(outcome_count < OUTCOMES_MOST);
    row_options(text, drawn_for, mesh, places);
    snprintf(options, sizeof options, "--seed %" PRIu64 " %s", seed, places);
    check_about(name);
    need_sets(mesh, options);
    outcome_run(outcome, mesh, options, packets, must, find_outcome);
    snprintf(outcome->name, sizeof outcome->name, "%s", name);
    outcome_count++;
    printf("%-48s %8" PRIu64 " packets %8" PRIu64 " deliveries %6.2f s\n", name, outcome->packets, outcome->deliveries,
           (double)(clock() - began) / CLOCKS_PER_SEC);
    if (getenv("VERBOSE"))
        printf("    --packets %" PRIu64 " %s\n", packets, options);
    fflush(stdout);
    return outcome;
}

/* Half of the work of a mesh, the same for all kinds of its sites; a mesh of pairs has no line. */
static bool is_drawn(const struct row *mesh_row, const struct row *work)
{
    uint64_t random = seed + work->line + ((uint64_t)mesh_row->line << 32);
    return *globs || long_form || mesh_row->line == 0 || check_below(&random, 2) == 0;
}

/* The work of a mesh with one kind of site, each compared with the first kind that has done it. */
static void do_work(const struct row *mesh_row, const struct mesh_config *mesh, const struct row *kind,
                    const char *claim)
{
    for (unsigned i = 0; i < rows.count; i++) {
        const struct row *work = &rows.rows[i];
        char options[2 * ROW_OPTIONS], name[120], first[120], near[40];
        if (work->kind != ROW_WORK || !row_kind_of(work->fields[WORK_KINDS], kind->name, near, sizeof near) ||
            !row_has_word(mesh_row->fields[MESH_WORK], work->name))
            continue;
        snprintf(name, sizeof name, "%s/%s/%s", mesh_row->name, work->name, kind->name);
        need_sets(mesh, kind->fields[KIND_OPTIONS]);
        if (!is_wanted(name) || !is_drawn(mesh_row, work))
            continue;
        snprintf(first, sizeof first, "%s/%s", mesh_row->name, work->name);
        snprintf(options, sizeof options, "%s %s", work->fields[WORK_OPTIONS], kind->fields[KIND_OPTIONS]);
        struct outcome *outcome = run(name, first, mesh, options,
                                      packets_of(work, work->fields[WORK_PACKETS], mesh_row->fields[MESH_WHEN]),
                                      work->fields[WORK_MUST]);
        const struct outcome *reference = find_outcome(first);
        bool same = strcmp(claim, "same") == 0 && !*near;
        bool accounted = row_has_word(work->fields[WORK_MUST], "accounted");
        if (reference && (same || !accounted))
            outcome_compare(outcome, reference, same);
        if (!reference)
            strcpy(outcome->name, first);
    }
}

static void run_mesh(const struct row *row)
{
    static char text[ROW_MESH_TEXT];
    struct mesh_config mesh;
    char claim[40];
    row_mesh(row, text, &mesh);
    for (unsigned i = 0; i < rows.count; i++)
        if (rows.rows[i].kind == ROW_KIND &&
            row_kind_of(row->fields[MESH_KINDS], rows.rows[i].name, claim, sizeof claim))
            do_work(row, &mesh, &rows.rows[i], claim);
}

/* A mesh of pairs of keys, as if it had a row. */
static void run_pair_mesh(const char *name, const struct pair_mesh *pair)
{
    const struct row row = {.kind = ROW_MESH,
                            .name = name,
                            .fields = {[MESH_WHEN] = long_form ? "long/20" : "test/10",
                                       [MESH_WORK] = pair->mesh.reliable ? "pair pair-full pair-faults" : "pair-raw"}};
    if (getenv("VERBOSE"))
        printf("%s:\n%s", name, pair->text);
    do_work(&row, &pair->mesh, rows_find(&rows, ROW_KIND, "native"), "");
}

static bool names_pairs(void)
{
    bool any = false;
    for (char **glob = globs; *glob; glob++)
        any |= strstr(*glob, "pairs-") != NULL;
    return any;
}

/* whole: pairs-N, which the command line has to name: test_pairs.sh does. Else few-pairs-N, which need no sets of their
 * own: a few are drawn. */
static void run_pairs(bool whole)
{
    static struct pairs pairs;
    bool drawn[PAIR_MESHES_MOST] = {false};
    uint64_t random = seed;
    check_about(NULL);
    pairs_make(&rows, seed, whole, &pairs);
    printf("%u pairs of values in %u meshes, %u are refused\n", pairs.accepted, pairs.count, pairs.refused);
    for (unsigned i = 0; i < PAIRS_DRAWN && !whole; i++)
        drawn[check_below(&random, pairs.count)] = true;
    for (unsigned i = 0; i < pairs.count; i++) {
        char name[40];
        snprintf(name, sizeof name, "%s-%u", whole ? "pairs" : "few-pairs", i);
        if (*globs ? is_chosen(&(struct row){.name = name}, "test") : drawn[i])
            run_pair_mesh(name, &pairs.meshes[i]);
    }
    check_about(NULL);
}

static void run_single(const struct row *row)
{
    static char text[ROW_MESH_TEXT];
    struct mesh_config mesh;
    row_mesh(rows_find(&rows, ROW_MESH, row->fields[RUN_MESH]), text, &mesh);
    run(row->name, row->name, &mesh, row->fields[RUN_OPTIONS],
        packets_of(row, row->fields[RUN_PACKETS], row->fields[RUN_WHEN]), row->fields[RUN_MUST]);
}

/* How many meshes of a discipline have a kind of site, do some work or set a key. */
static unsigned meshes_with(const struct discipline *discipline, const char *kind, const char *work, const char *key)
{
    static char text[ROW_MESH_TEXT];
    char claim[40], section[40];
    const char *dot = key ? strchr(key, '.') : "";
    unsigned count = 0;
    snprintf(section, sizeof section, "%.*s", key ? (int)(dot - key) : 0, key ? key : "");
    for (unsigned i = 0; i < rows.count; i++) {
        const struct row *row = &rows.rows[i];
        struct mesh_config mesh;
        if (row->kind != ROW_MESH)
            continue;
        row_mesh(row, text, &mesh);
        count += mesh.discipline == discipline &&
                 (!kind || row_kind_of(row->fields[MESH_KINDS], kind, claim, sizeof claim)) &&
                 (!work || row_has_word(row->fields[MESH_WORK], work)) &&
                 (!key || mesh_settings_has(text, section, dot + 1));
    }
    return count;
}

static void check_set(const struct discipline *discipline, const char *key)
{
    check(meshes_with(discipline, NULL, NULL, key), "tests/conformance/rows: no mesh of discipline %s sets %s",
          discipline->name, key);
}

/* A discipline has each of these kinds of site with both services, links with faults, and each key that is its own. */
static void check_discipline(const struct discipline *discipline)
{
    static const struct {
        const char *kind, *work;
    } all[] = {{"native", "light"},      {"native", "raw"},         {"native", "fault-corrupt"},
               {"native", "fault-link"}, {"native", "fault-reset"}, {"core", "console"},
               {"core", "console-raw"},  {"qemu", "console"},       {"qemu", "console-raw"}};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        check(meshes_with(discipline, all[i].kind, all[i].work, NULL),
              "tests/conformance/rows: no mesh of discipline %s with sites of kind %s does work %s", discipline->name,
              all[i].kind, all[i].work);
    for (const char *const *key = discipline->keys; *key; key++)
        check_set(discipline, *key);
    for (unsigned i = 0; i < discipline->own_count; i++) {
        const struct mesh_key *key = &discipline->own[i].key;
        char name[80];
        snprintf(name, sizeof name, "%s.%s", key->section, key->name);
        if (key->preset)
            check_set(discipline, name);
    }
}

/* Every file of hw/mesh is that of a row. */
static void check_files(void)
{
    glob_t found;
    CHECK(glob("hw/mesh/*.mesh", 0, NULL, &found) == 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        bool used = false;
        for (unsigned k = 0; k < rows.count; k++)
            used = used ||
                   (rows.rows[k].kind == ROW_MESH && row_has_word(rows.rows[k].fields[MESH_FILE], found.gl_pathv[i]));
        check(used, "tests/conformance/rows: no mesh of %s", found.gl_pathv[i]);
    }
    globfree(&found);
}

/* Sets are dear: make builds those of `make test`, which the table lists, before the test, and the table may list no
 * others. */
static void check_sets(void)
{
    for (unsigned k = 0; k < set_count; k++) {
        bool listed = false;
        for (unsigned i = 0; i < rows.count; i++)
            listed = listed || (rows.rows[i].kind == ROW_SET && strcmp(rows.rows[i].name, sets[k].name) == 0);
        check(listed, "tests/conformance/rows: a row of `make test` needs set %s, which is not listed", sets[k].name);
    }
    for (unsigned i = 0; i < rows.count; i++) {
        bool used = rows.rows[i].kind != ROW_SET;
        for (unsigned k = 0; k < set_count; k++)
            used = used || strcmp(rows.rows[i].name, sets[k].name) == 0;
        check(used, "tests/conformance/rows:%u: no row of `make test` needs set %s", rows.rows[i].line,
              rows.rows[i].name);
    }
}

/* Disciplines of tests, and all simulators. */
static void set_up(void)
{
    long_form = check_long();
    seed = check_seed();
    simulation_register(&rtl_engine);
    simulation_register(&functional_engine);
    simulation_register(&ideal_engine);
    rows_load("tests/conformance/rows", seed, &rows);
}

int main(int argc, char **argv)
{
    globs = argv + 1;
    (void)argc;
    set_up();
    for (unsigned i = 0; i < rows.count; i++)
        if (rows.rows[i].kind == ROW_MESH && is_chosen(&rows.rows[i], rows.rows[i].fields[MESH_WHEN]))
            run_mesh(&rows.rows[i]);
    for (unsigned i = 0; i < rows.count; i++)
        if (rows.rows[i].kind == ROW_RUN && is_chosen(&rows.rows[i], rows.rows[i].fields[RUN_WHEN]))
            run_single(&rows.rows[i]);
    if (!*globs || names_pairs()) {
        run_pairs(false);
        run_pairs(true);
    }
    check_about(NULL);
    check_files();
    for (unsigned i = 0; i < discipline_count; i++)
        check_discipline(&disciplines[i]);
    if (!*globs && !long_form)
        check_sets();
    printf("%u runs on %u sets\n", outcome_count, set_count);
    int status = verdict("test_conformance");
    if (getenv("JSON") && outcome_count)
        outcome_print(&outcomes[outcome_count - 1]);
    for (unsigned i = 0; i < outcome_count; i++)
        outcome_free(&outcomes[i]);
    return status;
}
