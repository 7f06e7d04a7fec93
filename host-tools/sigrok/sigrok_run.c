/* See sigrok_run.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "sigrok/sigrok_run.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/signals.h"

const char sigrok_program[] = "sigrok-cli";

enum { TICK = 200 /* milliseconds */ };

struct started {
    struct sigrok_run *run;
    uv_loop_t loop;
    uv_timer_t ticks;
    uv_signal_t signals[FLASH_PROCESS_SIGNALS];
    struct flash_process process;
    uint64_t began;
};

static void take_bytes(void *context, const char *bytes, size_t count)
{
    (void)context, (void)bytes, (void)count;
}

static void take_line(void *context, const char *line)
{
    struct sigrok_run *run = ((struct started *)context)->run;
    snprintf(run->said, sizeof run->said, "%s", line);
    if (run->line)
        run->line(run->context, line);
}

static void tick(uv_timer_t *timer)
{
    struct started *started = timer->data;
    double elapsed = (double)(uv_now(&started->loop) - started->began) / 1000;
    if (started->run->tick && started->run->tick(started->run->context, elapsed))
        flash_process_alive(&started->process);
}

static void interrupt(uv_signal_t *handle, int number)
{
    struct started *started = handle->data;
    (void)number;
    flash_process_stop(&started->process);
}

/* Signals are blocked before their handlers go. */
static void ended(void *context)
{
    struct started *started = context;
    signals_block();
    uv_close((uv_handle_t *)&started->ticks, NULL);
    for (int k = 0; k < FLASH_PROCESS_SIGNALS; k++)
        uv_close((uv_handle_t *)&started->signals[k], NULL);
}

static enum exit_code verdict(const struct sigrok_run *run, const struct flash_process *process, int failure,
                              char *reason)
{
    const char *said = *run->said ? run->said : "it has said nothing";
    enum exit_code code = EXIT_TRANSPORT;
    if (failure)
        snprintf(reason, SIGROK_REASON, "%s: %s, expected Debian's package sigrok-cli", sigrok_program,
                 uv_strerror(failure));
    else if (process->interrupted)
        snprintf(reason, SIGROK_REASON, "interrupted");
    else if (process->silent)
        snprintf(reason, SIGROK_REASON, "%s shows no sign of life for %g s: %s", sigrok_program, run->limit, said);
    else if (process->signal)
        snprintf(reason, SIGROK_REASON, "%s was ended by signal %d: %s", sigrok_program, process->signal, said);
    else if (process->status)
        snprintf(reason, SIGROK_REASON, "%s: %s (exit code %lld)", sigrok_program, said, (long long)process->status);
    else
        code = EXIT_OK;
    if (!failure && process->interrupted)
        code = EXIT_INTERRUPTED;
    else if (!failure && process->silent)
        code = EXIT_TIMEOUT;
    return code;
}

enum exit_code sigrok_run(struct sigrok_run *run, char *reason)
{
    struct started started = {.run = run};
    struct flash_process_start start = {run->argv, -1, -1, -1, run->limit};
    started.process = (struct flash_process){
        .context = &started, .output = take_bytes, .line = take_line, .ended = ended};
    *run->said = 0;
    if (uv_loop_init(&started.loop) != 0)
        abort();
    flash_process_signals(&started.loop, started.signals, interrupt, &started);
    uv_timer_init(&started.loop, &started.ticks);
    started.ticks.data = &started;
    uv_timer_start(&started.ticks, tick, TICK, TICK);
    started.began = uv_now(&started.loop);
    int failure = flash_process_start(&started.process, &started.loop, &start);
    uv_run(&started.loop, UV_RUN_DEFAULT);
    uv_loop_close(&started.loop);
    return verdict(run, &started.process, failure, reason);
}
