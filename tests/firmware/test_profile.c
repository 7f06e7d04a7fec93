/* The portable profile (tests/firmware/profile): the same image on both cores, verilated, and under QEMU. Each check
 * that the profile promises says `ok` on each of them. What lies beyond the profile is printed side by side:
 * firmware/README.md leads here.
 *
 * SPDX-License-Identifier: ISC
 */
#define _POSIX_C_SOURCE 200809L
#include <string.h>
#include <sys/wait.h>

#include "on_core.h"
#include "profile/profile.h"

enum { PLATFORMS = 3, TEXT = 8192, STEP = 10000, STEPS = 3000, CHECKS_LEAST = 50, BEYOND_LEAST = 20 };

struct platform_run {
    const char *name;
    char text[TEXT];
    size_t length;
    unsigned status;
};

static struct platform_run runs[PLATFORMS] = {{.name = "vexriscv"}, {.name = "serv"}, {.name = "qemu"}};

static struct simulation *start(const char *core)
{
    char mesh[128];
    snprintf(mesh, sizeof mesh, "[mesh]\ntopology=grid\nsize=1x1\n[site]\ncpu=%s\n", core);
    return start_on_core("test_profile", mesh, "build/firmware/profile.hex");
}

static void run_on_core(struct platform_run *run)
{
    struct simulation *simulation = start(run->name);
    uint32_t status = 0;
    for (unsigned steps = 0; steps < STEPS && !simulation_finished(simulation, 0, &status); steps++) {
        simulation_run(simulation, STEP);
        run->length += simulation_console_read(simulation, 0, (uint8_t *)run->text + run->length,
                                               TEXT - 1 - run->length);
    }
    run->status = simulation_finished(simulation, 0, &status) ? status : UINT32_MAX;
    printf("%s: %llu clocks\n", run->name, (unsigned long long)simulation_clock(simulation));
    simulation_destroy(simulation);
}

static void run_under_qemu(struct platform_run *run)
{
    FILE *output = popen(
        "timeout 40 qemu-system-riscv32 -M virt -m 16M -bios none -nodefaults -no-user-config -display none "
        "-monitor none -serial stdio -kernel build/firmware/profile.elf </dev/null",
        "r");
    int status;

    CHECK(output != NULL);
    run->length = fread(run->text, 1, TEXT - 1, output);
    status = pclose(output);
    run->status = WIFEXITED(status) ? (unsigned)WEXITSTATUS(status) : UINT32_MAX;
}

/* Takes a line off the text; NULL: there is none. */
static char *take_line(char **text)
{
    char *line = *text, *end = strchr(line, '\n');
    if (!end)
        return NULL;
    *end = 0;
    *text = end + 1;
    return line;
}

/* The lines of all platforms, as far as they are the same and promised. Returns how many. */
static unsigned compare_checks(char *text[PLATFORMS], unsigned *wrong)
{
    for (unsigned count = 0;; count++) {
        char *lines[PLATFORMS];
        for (unsigned k = 0; k < PLATFORMS; k++) {
            lines[k] = take_line(&text[k]);
            CHECK(lines[k] != NULL);
        }
        if (strcmp(lines[0], BEYOND) == 0 && strcmp(lines[1], BEYOND) == 0 && strcmp(lines[2], BEYOND) == 0)
            return count;
        for (unsigned k = 0; k < PLATFORMS; k++) {
            size_t length = strlen(lines[k]);
            if (length < 4 || strcmp(lines[k] + length - 4, ": ok") != 0 || strcmp(lines[k], lines[0]) != 0) {
                printf("%s: %s\n", runs[k].name, lines[k]);
                ++*wrong;
            }
        }
    }
}

/* A table; returns how many rows. */
static unsigned show_beyond_lines(char *text[PLATFORMS])
{
    printf("| beyond the profile | %s | %s | %s |\n|---|---|---|---|\n", runs[0].name, runs[1].name, runs[2].name);
    for (unsigned count = 0;; count++) {
        const char *values[PLATFORMS];
        char *name = NULL;
        for (unsigned k = 0; k < PLATFORMS; k++) {
            char *line = take_line(&text[k]), *colon;
            CHECK(line != NULL);
            if (k == 0)
                name = line;
            colon = strchr(line, ':');
            values[k] = colon != NULL ? colon + 2 : "";
            if (colon)
                *colon = 0;
            CHECK(strcmp(line, name) == 0);
        }
        if (strcmp(name, "end") == 0)
            return count;
        printf("| %s | %s | %s | %s |\n", name, values[0], values[1], values[2]);
    }
}

int main(void)
{
    char *text[PLATFORMS];
    unsigned wrong = 0, checks;
    run_on_core(&runs[0]);
    run_on_core(&runs[1]);
    run_under_qemu(&runs[2]);
    for (unsigned k = 0; k < PLATFORMS; k++) {
        text[k] = runs[k].text;
        if (runs[k].status != 0) {
            printf("%s: status %u, expected 0; it said:\n%s\n", runs[k].name, runs[k].status, runs[k].text);
            wrong++;
        }
    }
    CHECK(wrong == 0);
    checks = compare_checks(text, &wrong);
    printf("%u checks, the same on all three\n", checks);
    CHECK(checks >= CHECKS_LEAST && wrong == 0);
    CHECK(show_beyond_lines(text) >= BEYOND_LEAST);
    return 0;
}
