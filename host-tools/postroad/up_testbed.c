/* See up_testbed.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "postroad/up_testbed.h"

#include "cli/report.h"
#include "support/or_abort.h"
#include "testbed/board_names.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ERROR_SIZE = 2048 };

bool up_testbed_named(const char *operand)
{
    size_t length = strlen(operand);
    return length > 4 && strcmp(operand + length - 4, ".ini") == 0;
}

static enum exit_code check_names(const char *only, const struct testbed *testbed)
{
    char name[TESTBED_NAME];
    enum exit_code code = EXIT_OK;
    for (const char *at = only; at && board_names_unknown(&at, testbed, name); code = EXIT_USAGE)
        report_error("up", "--only %s: the testbed has no board of this name", name);
    return code;
}

static enum exit_code find_all(struct up_testbed *testbed, const char *only)
{
    char error[ERROR_SIZE];
    enum exit_code code = EXIT_OK;
    struct board_consoles *consoles = &testbed->consoles;
    for (unsigned i = 0; i < testbed->testbed.board_count; i++) {
        const char *name = testbed->testbed.boards[i].name;
        if (!board_names_have(only, name))
            continue;
        if (console_way_find(&testbed->ways[i], &testbed->ttys, i, &consoles->consoles[consoles->count], error,
                             sizeof error) == 0)
            consoles->count++;
        else {
            report_error("up", "board %s: %s", name, error);
            code = EXIT_TRANSPORT;
        }
    }
    return code;
}

static bool read_lock(struct up_testbed *out)
{
    char error[ERROR_SIZE];
    const struct testbed *testbed = &out->testbed;
    out->lock = (struct load_lock){.locked = *testbed->key != 0, .oldest = testbed->oldest};
    if (sodium_init() < 0)
        abort();
    if (!out->lock.locked || signature_public_key(testbed->key, out->lock.key, error, sizeof error) == 0)
        return true;
    report_error("up", "%s", error);
    return false;
}

enum exit_code up_testbed_find(const char *path, const char *only, struct up_testbed *out)
{
    char error[ERROR_SIZE];
    *out = (struct up_testbed){.consoles = {.has_testbed = true}};
    if (testbed_load(path, &out->testbed, error, sizeof error) != 0)
        return report_failure(EXIT_USAGE, "up", "%s", error);
    if (!out->testbed.has_mesh)
        return report_failure(EXIT_USAGE, "up",
                              "%s: expected mesh = FILE.mesh in [testbed]: without it no board has a site", path);
    if (!read_lock(out) || check_names(only, &out->testbed) != EXIT_OK)
        return EXIT_USAGE;
    if (console_ttys_open(&out->ttys, &out->testbed, error, sizeof error) != 0)
        return report_failure(EXIT_TRANSPORT, "up", "%s", error);
    out->consoles.mesh_hash = out->testbed.mesh.hash;
    out->consoles.consoles = or_abort(calloc(out->testbed.board_count, sizeof *out->consoles.consoles));
    out->ways = or_abort(calloc(out->testbed.board_count, sizeof *out->ways));
    return find_all(out, only);
}

void up_testbed_free(struct up_testbed *testbed)
{
    console_ttys_close(&testbed->ttys);
    testbed_free(&testbed->testbed);
    free(testbed->consoles.consoles);
    free(testbed->ways);
}
