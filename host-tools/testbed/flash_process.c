/* See flash_process.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "testbed/flash_process.h"

#include <math.h>
#include <signal.h>
#include <string.h>

#include "cli/signals.h"

enum { KILL_AFTER = 2000, DRAIN_FOR = 500 /* milliseconds */, SILENCE_TICKS = 10 };

static void emit(struct flash_process *process, struct flash_process_line *line)
{
    line->text[line->used] = 0;
    if (line->used)
        process->line(process->context, line->text);
    line->used = 0;
}

/* A line that is too long comes in pieces. */
static void split(struct flash_process *process, struct flash_process_line *line, const char *bytes, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        if (bytes[k] == '\n' || bytes[k] == '\r' || line->used + 1 == sizeof line->text)
            emit(process, line);
        if (bytes[k] != '\n' && bytes[k] != '\r' && bytes[k])
            line->text[line->used++] = bytes[k];
    }
}

static void closed(uv_handle_t *handle)
{
    struct flash_process *process = handle->data;
    if (--process->open)
        return;
    for (int k = 0; k < 2; k++)
        emit(process, &process->lines[k]);
    process->running = false;
    process->ended(process->context);
}

static void close_handle(uv_handle_t *handle)
{
    if (!uv_is_closing(handle))
        uv_close(handle, closed);
}

static bool pipes_closed(const struct flash_process *process)
{
    return uv_is_closing((const uv_handle_t *)&process->pipes[0]) &&
           uv_is_closing((const uv_handle_t *)&process->pipes[1]);
}

static void finish_if_done(struct flash_process *process)
{
    if (process->exited && pipes_closed(process))
        close_handle((uv_handle_t *)&process->timer);
}

static void give_room(uv_handle_t *handle, size_t size, uv_buf_t *out)
{
    static char room[4096]; /* read at once: libuv calls `read` with it before it reads again */
    (void)handle, (void)size;
    *out = uv_buf_init(room, sizeof room);
}

static void take_bytes(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer)
{
    struct flash_process *process = stream->data;
    size_t index = stream == (uv_stream_t *)&process->pipes[1];
    if (count > 0) {
        process->output(process->context, buffer->base, (size_t)count);
        split(process, &process->lines[index], buffer->base, (size_t)count);
    } else if (count < 0) {
        close_handle((uv_handle_t *)stream);
        finish_if_done(process);
    }
}

/* What the process has started may still hold the pipes: they are read for a moment, and then closed. */
static void drained(uv_timer_t *timer)
{
    struct flash_process *process = timer->data;
    for (int k = 0; k < 2; k++)
        close_handle((uv_handle_t *)&process->pipes[k]);
    finish_if_done(process);
}

static void exited(uv_process_t *handle, int64_t status, int signal)
{
    struct flash_process *process = handle->data;
    process->status = status;
    process->signal = signal;
    process->exited = true;
    kill(-handle->pid, SIGKILL); /* what is left of its group */
    close_handle((uv_handle_t *)handle);
    uv_timer_start(&process->timer, drained, DRAIN_FOR, 0);
    finish_if_done(process);
}

static void kill_group(uv_timer_t *timer)
{
    struct flash_process *process = timer->data;
    if (!process->exited)
        kill(-process->process.pid, SIGKILL);
}

static void stop(struct flash_process *process)
{
    process->stopping = true;
    kill(-process->process.pid, SIGTERM);
    uv_timer_start(&process->timer, kill_group, KILL_AFTER, 0);
}

/* What has come while this program was stopped is read before this. */
static void look_once_more(uv_timer_t *timer)
{
    struct flash_process *process = timer->data;
    process->silent = true;
    stop(process);
}

/* Silence is counted in ticks, of which one comes however long this program was stopped. */
static void tick(uv_timer_t *timer)
{
    struct flash_process *process = timer->data;
    if (++process->quiet >= SILENCE_TICKS)
        uv_timer_start(timer, look_once_more, 1, 0);
}

void flash_process_alive(struct flash_process *process)
{
    if (!process->running || process->exited || process->stopping || !process->tick)
        return;
    process->quiet = 0;
    uv_timer_start(&process->timer, tick, process->tick, process->tick);
}

void flash_process_stop(struct flash_process *process)
{
    if (!process->running || process->exited || process->stopping)
        return;
    process->interrupted = true;
    stop(process);
}

static uv_stdio_container_t given_or(int descriptor, uv_stdio_flags otherwise, uv_pipe_t *pipe)
{
    if (descriptor >= 0)
        return (uv_stdio_container_t){.flags = UV_INHERIT_FD, .data.fd = descriptor};
    return (uv_stdio_container_t){.flags = otherwise, .data.stream = (uv_stream_t *)pipe};
}

int flash_process_start(struct flash_process *process, uv_loop_t *loop, const struct flash_process_start *start)
{
    const uv_stdio_flags to_us = UV_CREATE_PIPE | UV_WRITABLE_PIPE;
    uv_stdio_container_t streams[] = {
        given_or(start->input, UV_IGNORE, NULL),
        given_or(start->output, to_us, &process->pipes[0]),
        given_or(-1, to_us, &process->pipes[1]),
        given_or(start->lock, UV_IGNORE, NULL),
    };
    uv_process_options_t options = {
        .exit_cb = exited,
        .file = start->argv[0],
        .args = start->argv,
        .flags = UV_PROCESS_DETACHED,
        .stdio = streams,
        .stdio_count = sizeof streams / sizeof *streams,
    };
    process->loop = loop;
    process->tick = isinf(start->silence) ? 0 : (uint64_t)(start->silence * 1000 / SILENCE_TICKS) + 1;
    process->status = process->signal = 0;
    process->silent = process->interrupted = process->exited = process->stopping = false;
    process->running = true;
    process->open = 4;
    for (int k = 0; k < 2; k++) {
        process->lines[k].used = 0;
        uv_pipe_init(loop, &process->pipes[k], 0);
        process->pipes[k].data = process;
    }
    uv_timer_init(loop, &process->timer);
    process->timer.data = process;
    process->process.data = process;
    int error = uv_spawn(loop, &process->process, &options);
    if (error) {
        process->status = 127;
        process->exited = true;
        close_handle((uv_handle_t *)&process->process);
    } else
        flash_process_alive(process);
    for (int k = 0; k < 2; k++)
        if (error || (k == 0 && start->output >= 0))
            close_handle((uv_handle_t *)&process->pipes[k]);
        else
            uv_read_start((uv_stream_t *)&process->pipes[k], give_room, take_bytes);
    finish_if_done(process);
    return error;
}

void flash_process_signals(uv_loop_t *loop, uv_signal_t *signals, uv_signal_cb interrupt, void *context)
{
    static const int numbers[FLASH_PROCESS_SIGNALS] = {SIGINT, SIGTERM, SIGHUP};
    sigset_t set;
    sigemptyset(&set);
    for (int k = 0; k < FLASH_PROCESS_SIGNALS; k++) {
        uv_signal_init(loop, &signals[k]);
        signals[k].data = context;
        if (signals_ignored(numbers[k]))
            continue;
        uv_signal_start(&signals[k], interrupt, numbers[k]);
        sigaddset(&set, numbers[k]);
    }
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}
