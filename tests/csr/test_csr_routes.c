/* Path tables of the general model: those of graphs with a name, and those of files, good and bad ones.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "csr/csr_routes.h"

static void test_graphs(void)
{
    static const struct {
        const char *graph;
        unsigned dimensions, links;
        double capacity; /* links of a node by the mean length of a path */
    } cases[] = {{"hypercube", 3, 48, 2},
                 {"cube", 3, 24, 3 * 7.0 / 12},
                 {"ring", 3, 16, 2 * 7.0 / 16},
                 {"torus", 4, 64, 4 * 15.0 / 32},
                 {"shuffle", 2, 8, 2 * 12.0 / 20}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct csr_routes *routes = csr_routes_create(cases[i].graph, cases[i].dimensions);
        check_about(cases[i].graph);
        CHECK(routes);
        CHECK_EQUAL(routes->links, cases[i].links);
        check(fabs(routes->capacity - cases[i].capacity) < 1e-9, "capacity %f, expected %f", routes->capacity,
              cases[i].capacity);
        csr_routes_free(routes);
    }
    CHECK(!csr_routes_create("tree", 3));
    CHECK(!csr_routes_create("ring", 1));
}

static char path[4096];

static struct csr_routes *read_text(const char *text, char *error, size_t error_size)
{
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
    return csr_routes_read(path, error, error_size);
}

static void test_file(void)
{
    char error[200];
    struct csr_routes *routes = read_text("# three nodes\nnodes 3\n\n0 1  # a path\n1\n0\n\t2 0 1 2\n", error,
                                          sizeof error);
    CHECK(routes);
    CHECK_EQUAL(routes->nodes, 3);
    CHECK_EQUAL(routes->links, 3);
    CHECK_EQUAL(routes->entries[0].count, 2);
    CHECK_EQUAL(routes->entries[1].count, 1);
    CHECK_EQUAL(routes->entries[2].count, 1);
    CHECK_EQUAL(routes->entries[2].paths[0].length, 4);
    CHECK_EQUAL(routes->entries[2].paths[0].links[3], 2);
    check(fabs(routes->capacity - 3 / 3.0 * 4 / 8) < 1e-9, "capacity %f", routes->capacity);
    csr_routes_free(routes);
}

/* Every fault is said with its line. */
static void test_faults(void)
{
    static const struct {
        const char *text, *said;
    } cases[] = {
        {"", ":0: bad first line, expected nodes N"}, {"nodes\n", ":1: bad first line"},
        {"nodes 0\n0\n", ":1: bad first line"},       {"nodes 2 3\n0\n", ":1: bad first line"},
        {"nodes 2\n", ": no path, expected"},         {"nodes 2\n0 1\n0 x\n", ":3: bad link, expected a number"},
        {"nodes 2\n0 1.5\n", ":2: bad link"},         {"nodes 2\n0 -1\n", ":2: bad link"},
        {"nodes 2\n0 4194304\n", ":2: bad link"}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char error[200] = "";
        check(!read_text(cases[i].text, error, sizeof error), "taken: %s", cases[i].text);
        check(strstr(error, cases[i].said), "'%s', expected '%s'", error, cases[i].said);
    }
    char error[200] = "";
    CHECK(!csr_routes_read("no/such/file", error, sizeof error));
    check(strstr(error, "no/such/file: No such file"), "%s", error);
}

int main(void)
{
    const char *temporary = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/csr-routes.XXXXXX", temporary ? temporary : "/tmp");
    int file = mkstemp(path);
    CHECK(file >= 0 && close(file) == 0);
    RUN(test_graphs);
    RUN(test_file);
    RUN(test_faults);
    unlink(path);
    return verdict("csr routes");
}
