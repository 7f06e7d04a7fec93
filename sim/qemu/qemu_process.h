/* One qemu-system-riscv32 process that runs the firmware's ELF: started here, reached over unix sockets, ended here.
 * QEMU never outlives the process that started it.
 *
 *   DIRECTORY/qemu-N.port    its virtio console, where records go (firmware/platform/qemu)
 *   DIRECTORY/qemu-N.serial  its UART
 *   DIRECTORY/qemu-N.gdb     its gdb server; no debugger needs to connect
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_QEMU_QEMU_PROCESS_H
#define POSTROAD_QEMU_QEMU_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/un.h>

/* A socket to which QEMU connects: first this process listens, then there is one connection. */
struct qemu_socket {
    int listener, connection; /* -1: none */
    struct sockaddr_un address;
};

struct qemu_process {
    pid_t pid; /* 0: none runs */
    int end;   /* a descriptor that can be read once it has ended; -1: none */
    int words; /* a file in memory: what it writes to its standard error; -1: none */
    struct qemu_socket port, serial;
    struct sockaddr_un gdb;
};

/* Starts QEMU for site `number`. 0, or -1 with a reason. */
int qemu_process_start(struct qemu_process *process, const char *directory, unsigned number, const char *elf,
                       char *error, size_t error_size);

/* Accepts the pending connection, if there is one: from then on `connection` is open and non-blocking. */
void qemu_socket_accept(struct qemu_socket *socket);

/* Waits until it has ended. Its exit status, or 128 and the signal; in `words` the last line that it wrote about
 * itself, or
 * "". Sockets are closed and their files removed.
 */
int qemu_process_reap(struct qemu_process *process, char *words, size_t size);

/* Kills QEMU, if it runs. */
void qemu_process_kill(struct qemu_process *process);

#endif
