/* The reader of Gowin netlists on garbage: random edits of what nextpnr has written, built with the sanitizers.
 * Whatever comes in, there is an answer, and a refusal names the file.
 *
 * usage: gowin_fuzz NETLIST.json
 * Environment: SEED, FUZZ_RUNS (default 150).
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bitstream/failure.h"
#include "bitstream/gowin_verilog.h"
#include "check.h"

enum { EDITS = 6, ROOM = 4 << 20, PIECE = 40 };

static const char interesting[] = "{}[]\":,01290xz-eE. \n\\\xff";

int main(int argc, char **argv)
{
    CHECK_EQUAL(argc, 2);
    char *good = malloc(ROOM), *text = malloc(ROOM);
    FILE *in = fopen(argv[1], "re"), *out = fopen("/dev/null", "we");
    CHECK(in && out && good && text);
    size_t length = fread(good, 1, ROOM - 1, in);
    fclose(in);
    const char *runs_text = getenv("FUZZ_RUNS");
    int runs = runs_text ? atoi(runs_text) : 150, accepted = 0;
    uint64_t state = check_seed();
    for (int run = 0; run < runs; run++) {
        struct failure failure = {0};
        memcpy(text, good, length);
        text[length] = 0;
        for (unsigned edits = check_below(&state, EDITS); edits > 0; edits--) {
            size_t at = check_below(&state, (unsigned)length - PIECE),
                   from = check_below(&state, (unsigned)length - PIECE);
            if (check_below(&state, 2))
                text[at] = interesting[check_below(&state, sizeof interesting - 1)];
            else
                memmove(text + at, text + from, 1 + check_below(&state, PIECE));
        }
        bool converted = gowin_verilog("fuzz.json", text, "chip", NULL, out, &failure);
        if (converted == failure.failed || (!converted && strncmp(failure.text, "fuzz.json: ", 11) != 0)) {
            printf("FAIL gowin_fuzz: run %d: %s\n", run, failure.text);
            return 1;
        }
        accepted += converted;
    }
    printf("PASS gowin_fuzz: %d runs, %d accepted\n", runs, accepted);
    fclose(out);
    free(good);
    free(text);
    return accepted == 0;
}
