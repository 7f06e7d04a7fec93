/* See qemu_debugger.h. The protocol is that of gdb's remote targets.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "qemu/qemu_debugger.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ANSWER_MILLISECONDS = 1000, ANSWER_SIZE = 2048, REGISTER_DIGITS = 8, REGISTER_RA = 1, REGISTER_PC = 32 };

/* Requests all registers, then detaches. The detach has a process number, on which QEMU insists once a gdb has been
 * attached. Both packets are sent at once: a QEMU that is itself stopped handles both when it continues, so its
 * firmware is not left halted. */
static const char questions[] = "$g#67+$D;1#b0+";

enum qemu_debugger qemu_debugger_state(const struct qemu_process *process)
{
    char path[sizeof process->gdb.sun_path + sizeof "debugger"], text[sizeof QEMU_DEBUGGER_HALTS] = "";
    int length = (int)(strlen(process->gdb.sun_path) - strlen("gdb"));
    enum qemu_debugger state = QEMU_NO_DEBUGGER;
    if (length <= 0)
        return state;
    snprintf(path, sizeof path, "%.*sdebugger", length, process->gdb.sun_path);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return state;
    if (flock(file, LOCK_SH | LOCK_NB) != 0 && read(file, text, sizeof text - 1) >= 0)
        state = strcmp(text, QEMU_DEBUGGER_HALTS) == 0 ? QEMU_HALTING_DEBUGGER : QEMU_DEBUGGER;
    close(file);
    return state;
}

/* Register `number` of the registers that begin at `all`: digits, the low byte first. */
static uint32_t register_of(const char *all, unsigned number)
{
    char digits[REGISTER_DIGITS + 1] = "";
    memcpy(digits, all + REGISTER_DIGITS * number, REGISTER_DIGITS);
    return __builtin_bswap32((uint32_t)strtoul(digits, NULL, 16));
}

/* The answer that contains all registers; NULL if there is none. All other answers (stop reason, OK) are shorter. */
static const char *find_registers(const char *text)
{
    while ((text = strchr(text, '$')))
        if (strspn(++text, "0123456789abcdefx") >= REGISTER_DIGITS * (REGISTER_PC + 1))
            return text;
    return NULL;
}

/* Reads until the answer to the last packet has come. */
static void read_answers(int connection, char *text, size_t size)
{
    struct pollfd wait = {.fd = connection, .events = POLLIN};
    size_t used = 0;
    ssize_t count = 1;
    while (count > 0 && used + 1 < size && !strstr(text, "$OK#") && poll(&wait, 1, ANSWER_MILLISECONDS) > 0) {
        count = read(connection, text + used, size - 1 - used);
        used += count > 0 ? (size_t)count : 0;
        text[used] = 0;
    }
}

bool qemu_debugger_look(const struct qemu_process *process, uint32_t *pc, uint32_t *return_address)
{
    char text[ANSWER_SIZE] = "";
    int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (connection >= 0 && connect(connection, (const struct sockaddr *)&process->gdb, sizeof process->gdb) == 0 &&
        send(connection, questions, strlen(questions), MSG_NOSIGNAL) > 0)
        read_answers(connection, text, sizeof text);
    if (connection >= 0)
        close(connection);
    const char *all = find_registers(text);
    if (!all)
        return false;
    *pc = register_of(all, REGISTER_PC);
    *return_address = register_of(all, REGISTER_RA);
    return true;
}
