/* See signals.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "cli/signals.h"

#include "cli/exit_code.h"
#include "support/output_file.h"

#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t noted;

static void note_signal(int number)
{
    (void)number;
    noted = 1;
}

static void end_process(int number)
{
    (void)number;
    output_file_abandon_all();
    _exit(EXIT_INTERRUPTED);
}

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};

enum { COUNT = sizeof numbers / sizeof *numbers };

void signals_block(void)
{
    sigset_t set;
    sigemptyset(&set);
    for (int k = 0; k < COUNT; k++)
        sigaddset(&set, numbers[k]);
    sigprocmask(SIG_BLOCK, &set, NULL);
}

void signals_hold(sigset_t *before)
{
    sigprocmask(SIG_SETMASK, NULL, before);
    signals_block();
}

void signals_release(const sigset_t *before)
{
    sigprocmask(SIG_SETMASK, before, NULL);
}

/* A shell's `&` has SIGINT ignored as well, which means nothing. */
bool signals_ignored(int number)
{
    struct sigaction before;
    return number == SIGHUP && sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_IGN;
}

void signals_handle(void (*handler)(int number))
{
    struct sigaction action = {.sa_handler = handler};
    for (int k = 0; k < COUNT; k++)
        if (!signals_ignored(numbers[k]))
            sigaction(numbers[k], &action, NULL);
}

static void unblock(void)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

void signals_end_waits(void)
{
    signals_block();
    signals_handle(note_signal);
}

void signals_end_process(void)
{
    signals_handle(end_process);
    unblock();
}

const volatile sig_atomic_t *signals_note(void)
{
    signals_handle(note_signal);
    unblock();
    return &noted;
}

bool signals_pending(void)
{
    sigset_t set;
    bool pending = noted;
    if (sigpending(&set) == 0)
        for (int k = 0; k < COUNT; k++)
            pending |= sigismember(&set, numbers[k]) == 1;
    return pending;
}
