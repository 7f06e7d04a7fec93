/* Checks, seeds and random numbers of the tests in C. CHECK and CHECK_EQUAL end the test at the first failure; check
 * counts failures, and the test ends with its verdict.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_CHECK_H
#define POSTROAD_TESTS_CHECK_H

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

/* Counts and prints a failure unless `good`. */
void check(bool good, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What the checks that follow are about is printed before each failure; NULL: nothing. The text is not copied. */
void check_about(const char *what);

/* Prints the verdict of the checks that count; returns the exit status of the test. */
int verdict(const char *name);

/* Runs one test function and prints its name. */
#define RUN(function)              \
    do {                           \
        printf("%s\n", #function); \
        fflush(stdout);            \
        function();                \
    } while (0)

/* From the environment variable SEED, or drawn from the clock; printed. */
uint64_t check_seed(void);

/* Does the environment variable LONG ask for full lengths, as `make test-long` does? */
bool check_long(void);

uint32_t check_random(uint64_t *state);

/* Uniform in 0..limit-1. */
unsigned check_below(uint64_t *state, unsigned limit);

/* By a clock that nothing sets. */
double seconds_now(void);

/* How often a loop draws: the same on every machine, so that a seed does the same there. Ten times `rounds` with
 * LONG=1, a hundredth with FEW=1, which is for checkers that slow a program down. */
unsigned long check_rounds(unsigned long rounds);

/* True while a fuzzer has time left: `seconds` from its first call with this *start, 0 before. */
bool check_time_left(double *start, double seconds);

#endif
