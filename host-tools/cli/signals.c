/* See signals.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "cli/signals.h"

#include <stddef.h>

static volatile sig_atomic_t noted;

static void note_signal(int number)
{
    (void)number;
    noted = 1;
}

void signals_block(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
}

void signals_end_waits(void)
{
    struct sigaction action = {.sa_handler = note_signal};
    signals_block();
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

void signals_end_process(void)
{
    sigset_t none;
    sigemptyset(&none);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

const volatile sig_atomic_t *signals_note(void)
{
    struct sigaction action = {.sa_handler = note_signal};
    sigset_t none;
    sigemptyset(&none);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    return &noted;
}

bool signals_pending(void)
{
    sigset_t set;
    return sigpending(&set) == 0 && (sigismember(&set, SIGINT) == 1 || sigismember(&set, SIGTERM) == 1);
}
