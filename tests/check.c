/* See check.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static unsigned failures;
static const char *about;

void check_equal(const char *file, int line, const char *what, long long got, long long expected)
{
    if (got == expected)
        return;
    fprintf(stderr, "%s:%d: %s is %lld (0x%llx), expected %lld (0x%llx)\n", file, line, what, got,
            (unsigned long long)got, expected, (unsigned long long)expected);
    exit(1);
}

void check(bool good, const char *format, ...)
{
    if (good)
        return;
    failures++;
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "FAIL %s%s", about ? about : "", about ? ": " : "");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
}

void check_about(const char *what)
{
    about = what;
}

int verdict(const char *name)
{
    printf("%s: %s\n", name, failures ? "FAIL" : "PASS");
    return failures != 0;
}

double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

uint64_t check_seed(void)
{
    const char *text = getenv("SEED");
    uint64_t seed = text ? strtoull(text, NULL, 0) : (uint64_t)(seconds_now() * 1e6);
    printf("seed %llu\n", (unsigned long long)seed);
    return seed;
}

/* splitmix64 */
uint32_t check_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(z >> 32);
}

unsigned check_below(uint64_t *state, unsigned limit)
{
    return (unsigned)((uint64_t)check_random(state) * limit >> 32);
}

static bool is_set(const char *name)
{
    const char *text = getenv(name);
    return text && strcmp(text, "1") == 0;
}

bool check_long(void)
{
    return is_set("LONG");
}

unsigned long check_rounds(unsigned long rounds)
{
    if (is_set("FEW"))
        return rounds / 100;
    return check_long() ? 10 * rounds : rounds;
}

bool check_time_left(double *start, double seconds)
{
    if (*start == 0)
        *start = seconds_now();
    return seconds_now() - *start < seconds;
}
