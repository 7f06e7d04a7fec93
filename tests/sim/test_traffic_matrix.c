/* Traffic matrices: what the reader makes of good files, and of bad ones; that packets and loads follow the rates. The
 * last test is a fuzzer: of whatever comes in, a matrix that is accepted has a site that sends, and is drawn from.
 *
 * Environment: SEED, FUZZ_RUNS (default 4000).
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "check.h"
#include "mutate_text.h"
#include "workload/traffic.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { SITES = 4, PACKETS = 40000 };

static const char good[] = "# to 0, 1, 2, 3\n0 3 1 0\n\n0,0,0,0\n  4\t4 0 0.0 # site 2\r\n0, 1e1,  0, 10";

static struct mesh_config mesh;
static char path[] = "/tmp/traffic-matrix.XXXXXX", error[400];

static struct traffic_matrix *load(const char *text, size_t length)
{
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(text, 1, length, file) == length && fclose(file) == 0);
    *error = 0;
    return traffic_matrix_load(&mesh, path, error, sizeof error);
}

static void test_rates(void)
{
    static const double shares[SITES] = {0.5, 0, 1, 2.5},
                        to[SITES][SITES] = {{0, 0.75, 0.25}, {0}, {0.5, 0.5}, {0, 0.5, 0, 0.5}};
    struct traffic_matrix *matrix = load(good, strlen(good));
    CHECK(matrix != NULL);
    for (uint32_t row = 0; row < SITES; row++) {
        check(fabs(traffic_matrix_share(matrix, row) - shares[row]) < 1e-9, "row %u: %g", row,
              traffic_matrix_share(matrix, row));
        for (uint32_t column = 0; column < SITES && shares[row] > 0; column++)
            check(fabs(traffic_matrix_target_share(matrix, row, column) - to[row][column]) < 1e-9, "%u to %u: %g", row,
                  column, traffic_matrix_target_share(matrix, row, column));
    }
    traffic_matrix_free(matrix);
}

/* The load of each source, and its targets, in packets that are drawn. */
static void test_packets(enum traffic_process process)
{
    struct traffic_matrix *matrix = load(good, strlen(good));
    struct traffic_options options = {.pattern = TRAFFIC_MATRIX,
                                      .matrix = matrix,
                                      .process = process,
                                      .burst = 4,
                                      .load = 0.2,
                                      .length = 8,
                                      .seed = check_seed()};
    struct traffic *traffic = traffic_create(&mesh, &options, error, sizeof error);
    struct traffic_packet packet;
    double words[SITES] = {0}, to[SITES][SITES] = {{0}};
    CHECK(matrix && traffic);
    for (int i = 0; i < PACKETS; i++) {
        traffic_next(traffic, &packet);
        words[packet.source] += traffic_packet_words(&packet);
        to[packet.source][packet.targets[0]] += traffic_packet_words(&packet);
    }
    for (uint32_t row = 0; row < SITES; row++) {
        double load = words[row] / (double)packet.clock, expected = options.load * traffic_matrix_share(matrix, row);
        check(fabs(load - expected) <= 0.1 * expected, "load of site %u: %g, expected %g", row, load, expected);
        for (uint32_t column = 0; column < SITES && expected > 0; column++) {
            double share = traffic_matrix_target_share(matrix, row, column);
            check(fabs(to[row][column] / words[row] - share) <= 0.05 * (share > 0), "%u to %u: %g", row, column,
                  to[row][column] / words[row]);
        }
    }
    traffic_free(traffic);
    traffic_matrix_free(matrix);
}

static void test_bad_files(void)
{
    static const struct {
        const char *text, *reason;
    } rows[] = {
        {"0 1 2 3\n0 1 2\n", ":2: 3 numbers, expected 4"},
        {"0 1 2 3 4\n", ":1: '4': expected the end of the row, which has 4 numbers"},
        {"1 1 1 1\n1 1 1 1\n1 1 1 1\n", ":4: 3 rows, expected 4"},
        {"1 1 1 1\n1 1 1 1\n1 1 1 1\n1 1 1 1\n#\n1 1 1 1\n", ":6: a row more, expected 4"},
        {"1 1 -1 1\n", ":1: '-1': expected a relative rate"},
        {"\n1 nan 1 1\n", ":2: 'nan': expected a relative rate"},
        {"1 1e400 1 1\n", ":1: '1e400': expected a relative rate"},
        {"0.00000000000000000000000000000000000000000000000001 1 1 1\n", "?': expected a relative rate"},
        {"0 0 0 0\n0 0 0 0\n0 0 0 0\n0 0 0 0\n", ": all rates are 0, expected a site that sends"},
        {"", ":1: 0 rows, expected 4"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct traffic_matrix *matrix = load(rows[i].text, strlen(rows[i].text));
        check(!matrix && strncmp(error, path, strlen(path)) == 0 && strstr(error, rows[i].reason),
              "'%s', expected '%s'", error, rows[i].reason);
        traffic_matrix_free(matrix);
    }
    check(!traffic_matrix_load(&mesh, "/nowhere", error, sizeof error) && strstr(error, "/nowhere: No such file"), "%s",
          error);
}

static bool sound(const struct traffic_matrix *matrix, uint64_t seed)
{
    struct random random;
    double all = 0;
    random_seed(&random, seed, 0);
    for (uint32_t row = 0; row < SITES; row++) {
        double share = traffic_matrix_share(matrix, row);
        all += share;
        for (int i = 0; share > 0 && i < 10; i++) {
            uint32_t column = traffic_matrix_draw(matrix, row, &random);
            if (column >= SITES || !(traffic_matrix_target_share(matrix, row, column) > 0))
                return false;
        }
    }
    return fabs(all - SITES) < 1e-6;
}

static void test_fuzz(void)
{
    static const char *const texts[] = {good, "1 2 3 4\n4 3 2 1\n1 1 1 1\n0.5 1e3 1e-3 7\n"};
    const char *runs_text = getenv("FUZZ_RUNS");
    long runs = runs_text ? atol(runs_text) : 4000, accepted = 0;
    uint64_t state = check_seed();
    for (long run = 0; run < runs; run++) {
        char buffer[500];
        const char *text = texts[check_below(&state, 2)];
        size_t length = strlen(text);
        memcpy(buffer, text, length);
        for (unsigned edits = 1 + check_below(&state, 3); edits > 0; edits--)
            length = mutate_text(&state, texts, 2, buffer, length, sizeof buffer);
        struct traffic_matrix *matrix = load(buffer, length);
        accepted += matrix != NULL;
        check(matrix ? sound(matrix, state) : strncmp(error, path, strlen(path)) == 0, "run %ld: %s", run, error);
        traffic_matrix_free(matrix);
    }
    check(runs < 100 || accepted > runs / 20, "%ld of %ld accepted", accepted, runs);
}

int main(void)
{
    static const char text[] = "[mesh]\ntopology = grid\nsize = 2x2\n";
    int descriptor = mkstemp(path);
    CHECK(descriptor >= 0 && close(descriptor) == 0);
    CHECK(mesh_config_parse("matrix.mesh", text, strlen(text), &mesh, error, sizeof error) == 0);
    RUN(test_rates);
    test_packets(TRAFFIC_BERNOULLI);
    test_packets(TRAFFIC_BURSTY);
    RUN(test_bad_files);
    RUN(test_fuzz);
    unlink(path);
    return verdict("traffic_matrix");
}
