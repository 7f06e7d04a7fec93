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

void signals_block(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
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

static void handle(void (*handler)(int number))
{
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
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
    handle(note_signal);
}

void signals_end_process(void)
{
    handle(end_process);
    unblock();
}

const volatile sig_atomic_t *signals_note(void)
{
    handle(note_signal);
    unblock();
    return &noted;
}

bool signals_pending(void)
{
    sigset_t set;
    return noted || (sigpending(&set) == 0 && (sigismember(&set, SIGINT) == 1 || sigismember(&set, SIGTERM) == 1));
}
