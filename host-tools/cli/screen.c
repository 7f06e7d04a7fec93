/* See screen.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "cli/screen.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

#include "cli/signals.h"
#include "support/or_abort.h"
#include "support/shown_text.h"

enum { CHUNK = 4096, LOOK_MILLISECONDS = 200 };

struct screen {
    int descriptor;
    FILE *stream; /* NULL: as the C library has made it */
    bool control; /* the bytes are a control sequence */
    struct shown_text text;
};

static struct screen screens[] = {{.descriptor = STDOUT_FILENO}, {.descriptor = STDERR_FILENO}};
static struct screen raw = {.descriptor = STDOUT_FILENO, .control = true};

/* False with errno: the reader is gone, or it does not read and a signal has come. */
static bool await_reader(int descriptor)
{
    struct pollfd reader = {.fd = descriptor, .events = POLLOUT};
    int ready;
    while ((ready = poll(&reader, 1, LOOK_MILLISECONDS)) == 0 || (ready < 0 && errno == EINTR))
        if (signals_pending()) {
            errno = EINTR;
            return false;
        }
    return true;
}

static bool write_all(int descriptor, const char *bytes, size_t count)
{
    while (count) {
        ssize_t written = await_reader(descriptor) ? write(descriptor, bytes, count) : -1;
        if (written < 0 && ((errno != EINTR && errno != EAGAIN) || signals_pending()))
            return false;
        bytes += written > 0 ? written : 0;
        count -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

static ssize_t put(void *cookie, const char *bytes, size_t count)
{
    struct screen *screen = cookie;
    char shown[CHUNK];
    for (size_t at = 0, length; at < count; at += length) {
        length = count - at < sizeof shown ? count - at : sizeof shown;
        for (size_t i = 0; i < length; i++)
            shown[i] = screen->control ? bytes[at + i] : shown_text_byte(&screen->text, bytes[at + i]);
        if (!write_all(screen->descriptor, shown, length))
            return 0;
    }
    return (ssize_t)count;
}

void screen_control(FILE *out, const char *sequence)
{
    if (!*sequence)
        return;
    for (struct screen *screen = screens; screen < screens + 2; screen++)
        if (screen->stream == out) {
            fflush(out);
            screen->control = true;
            fputs(sequence, out);
            fflush(out);
            screen->control = false;
            return;
        }
    fputs(sequence, out);
}

static FILE *begin(struct screen *screen, int mode)
{
    const cookie_io_functions_t functions = {.write = put};
    screen->stream = fopencookie(screen, "w", functions);
    if (screen->stream)
        setvbuf(screen->stream, NULL, mode, BUFSIZ);
    return screen->stream;
}

void screen_begin(void)
{
    FILE *out = or_abort(begin(&screens[0], isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF));
    FILE *error = or_abort(begin(&screens[1], _IONBF));
    stdout = out;
    stderr = error;
}

FILE *screen_raw(void)
{
    if (!raw.stream && !begin(&raw, _IOFBF))
        abort();
    return raw.stream;
}
