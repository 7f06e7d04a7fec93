/* Checks, seeds and random numbers of the firmware's tests.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_FIRMWARE_CHECK_H
#define POSTROAD_TESTS_FIRMWARE_CHECK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the test with status 1 if the condition does not hold. */
#define CHECK(condition)                                                                            \
    do {                                                                                            \
        if (!(condition)) {                                                                         \
            fprintf(stderr, "%s:%d: %s: not true: %s\n", __FILE__, __LINE__, __func__, #condition); \
            exit(1);                                                                                \
        }                                                                                           \
    } while (0)

#define CHECK_EQUAL(got, expected) check_equal(__FILE__, __LINE__, #got, (long long)(got), (long long)(expected))

void check_equal(const char *file, int line, const char *what, long long got, long long expected);

/* Runs one test function and says so. */
#define RUN(function)              \
    do {                           \
        printf("%s\n", #function); \
        fflush(stdout);            \
        function();                \
    } while (0)

/* From the environment variable SEED, or drawn and printed. */
uint64_t check_seed(void);

uint32_t check_random(uint64_t *state);

/* Uniform in 0..limit-1. */
unsigned check_below(uint64_t *state, unsigned limit);

/* True while a fuzzer has time left: `seconds` from its first call with this *start, 0 before. */
bool check_time_left(double *start, double seconds);

#endif
