/* See qemu_process.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "qemu/qemu_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static const char program[] = "qemu-system-riscv32";

enum { OPTION_SIZE = 300, WORDS_SIZE = 1024 };

static void close_socket(struct qemu_socket *socket)
{
    if (socket->listener >= 0)
        close(socket->listener);
    if (socket->connection >= 0)
        close(socket->connection);
    if (*socket->address.sun_path)
        unlink(socket->address.sun_path);
    *socket = (struct qemu_socket){.listener = -1, .connection = -1};
}

static void close_all(struct qemu_process *process)
{
    close_socket(&process->port);
    close_socket(&process->serial);
    if (*process->gdb.sun_path)
        unlink(process->gdb.sun_path);
    if (process->end >= 0)
        close(process->end);
    if (process->words >= 0)
        close(process->words);
    process->gdb.sun_path[0] = 0;
    process->pid = 0;
    process->end = process->words = -1;
}

static int make_path(struct sockaddr_un *address, const char *directory, unsigned number, const char *what, char *error,
                     size_t error_size)
{
    address->sun_family = AF_UNIX;
    int length = snprintf(address->sun_path, sizeof address->sun_path, "%s/qemu-%u.%s", directory, number, what);
    if (length > 0 && (size_t)length < sizeof address->sun_path)
        return 0;
    address->sun_path[0] = 0;
    snprintf(error, error_size, "%s: too long for a unix socket's path", directory);
    return -1;
}

static int listen_on(struct qemu_socket *out, const char *directory, unsigned number, const char *what, char *error,
                     size_t error_size)
{
    if (make_path(&out->address, directory, number, what, error, error_size) != 0)
        return -1;
    unlink(out->address.sun_path);
    out->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (out->listener >= 0 && bind(out->listener, (struct sockaddr *)&out->address, sizeof out->address) == 0 &&
        listen(out->listener, 1) == 0)
        return 0;
    snprintf(error, error_size, "cannot listen on %s: %s", out->address.sun_path, strerror(errno));
    return -1;
}

void qemu_socket_accept(struct qemu_socket *socket)
{
    socket->connection = accept4(socket->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (socket->connection < 0)
        return;
    close(socket->listener);
    socket->listener = -1;
}

/* "BEFORE PATH AFTER" for an option in which a comma separates and two are one. */
static void option(char *out, const char *before, const char *path, const char *after)
{
    size_t used = (size_t)snprintf(out, OPTION_SIZE, "%s", before);
    for (; *path && used < OPTION_SIZE - 2; path++) {
        out[used++] = *path;
        if (*path == ',')
            out[used++] = ',';
    }
    snprintf(out + used, OPTION_SIZE - used, "%s", after);
}

/* Runs in the child. The kernel kills QEMU when the parent dies, for whatever reason. The terminal's signals are left
 * to the parent. */
static void become_qemu(const struct qemu_process *process, const char *elf, pid_t parent, int complaint)
{
    char port[OPTION_SIZE], serial[OPTION_SIZE], gdb[OPTION_SIZE];
    sigset_t none;
    int null = open("/dev/null", O_RDONLY), reason;
    option(port, "socket,id=port,path=", process->port.address.sun_path, "");
    option(serial, "socket,id=serial,path=", process->serial.address.sun_path, "");
    option(gdb, "unix:", process->gdb.sun_path, ",server=on,wait=off");
    dup2(null, STDIN_FILENO);
    dup2(process->words, STDERR_FILENO);
    setpgid(0, 0);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    execlp(program, program, "-M", "virt", "-accel", "tcg,tb-size=16", "-m", "16M", "-bios", "none", "-kernel", elf,
           "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none", "-monitor", "none", "-chardev", serial,
           "-serial", "chardev:serial", "-global", "virtio-mmio.force-legacy=false", "-device", "virtio-serial-device",
           "-chardev", port, "-device", "virtconsole,chardev=port", "-gdb", gdb, (char *)NULL);
    reason = errno;
    if (write(complaint, &reason, sizeof reason) < 0)
        _exit(126);
    _exit(127);
}

static int spawn(struct qemu_process *process, const char *elf, char *error, size_t error_size)
{
    int ends[2], reason = 0;
    pid_t parent = getpid();
    if (pipe2(ends, O_CLOEXEC) != 0) {
        snprintf(error, error_size, "cannot make a pipe: %s", strerror(errno));
        return -1;
    }
    fflush(NULL);
    process->pid = fork();
    if (process->pid == 0)
        become_qemu(process, elf, parent, ends[1]);
    if (process->pid < 0)
        reason = errno;
    close(ends[1]);
    if (process->pid > 0 && read(ends[0], &reason, sizeof reason) == sizeof reason)
        waitpid(process->pid, NULL, 0);
    close(ends[0]);
    if (!reason && (process->end = pidfd_open(process->pid, 0)) >= 0)
        return 0;
    if (!reason) {
        reason = errno;
        kill(process->pid, SIGKILL);
        waitpid(process->pid, NULL, 0);
    }
    process->pid = 0;
    snprintf(error, error_size, "%s cannot be started: %s (Debian: apt-get install qemu-system-misc)", program,
             strerror(reason));
    return -1;
}

int qemu_process_start(struct qemu_process *process, const char *directory, unsigned number, const char *elf,
                       char *error, size_t error_size)
{
    *process = (struct qemu_process){.end = -1,
                                     .words = memfd_create(program, MFD_CLOEXEC),
                                     .port = {.listener = -1, .connection = -1},
                                     .serial = {.listener = -1, .connection = -1}};
    if (listen_on(&process->port, directory, number, "port", error, error_size) == 0 &&
        listen_on(&process->serial, directory, number, "serial", error, error_size) == 0 &&
        make_path(&process->gdb, directory, number, "gdb", error, error_size) == 0 &&
        spawn(process, elf, error, error_size) == 0)
        return 0;
    close_all(process);
    return -1;
}

/* The last line of QEMU's standard error that is no warning. */
static void read_words(const struct qemu_process *process, char *words, size_t size)
{
    char text[WORDS_SIZE], *rest = text, *line;
    off_t end = lseek(process->words, 0, SEEK_END);
    ssize_t count = pread(process->words, text, sizeof text - 1, end < WORDS_SIZE ? 0 : end - (WORDS_SIZE - 1));
    *words = 0;
    text[count > 0 ? count : 0] = 0;
    while ((line = strsep(&rest, "\n")))
        if (*line && !strstr(line, "warning:"))
            snprintf(words, size, "%s", line);
}

int qemu_process_reap(struct qemu_process *process, char *words, size_t size)
{
    int status = 0;
    while (waitpid(process->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    read_words(process, words, size);
    close_all(process);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void qemu_process_kill(struct qemu_process *process)
{
    char words[1];
    if (process->pid <= 0)
        return;
    kill(process->pid, SIGKILL);
    qemu_process_reap(process, words, sizeof words);
}
