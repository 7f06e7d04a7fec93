/* Network namespaces with a TAP device each, as `ip netns` shows them (/run/netns/NAME), for root alone. Addresses
 * follow from the number of the site, so nothing has to be configured; of site 3:
 *
 *   interface mesh0, MAC 02:70:72:00:00:03, 10.1.0.3/8, fd00::1:3/64, MTU 1500, multicast by this interface
 *
 * A namespace is made from scratch, and has nothing of the host's network. A name that exists is refused. Each has a
 * record in /run/postroad-tap, locked for as long as its process lives: what a killed process has left is taken away by
 * the next one, if it still is the same namespace. Directories are used only if no other user can write to them.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TAP_NAMESPACES_H
#define POSTROAD_TAP_NAMESPACES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { TAP_NAME_SIZE = 64, TAP_ERROR_SIZE = 1024 };

#define TAP_INTERFACE "mesh0"

struct tap_namespace {
    char name[TAP_NAME_SIZE];
    int tap;    /* descriptor of the device, non-blocking: a frame for each read and write */
    int record; /* locked */
    ino_t inode;
};

struct tap_namespaces {
    size_t count;
    struct tap_namespace *all;
    int home;    /* this process's own network namespace */
    int records; /* directory */
    int lock;    /* held while namespaces are made or taken away; -1: not held */
};

/* Checks that this can be done here, and takes away what killed processes have left. False, with the reason in error:
 * nothing is left behind, here and below. */
bool tap_namespaces_begin(struct tap_namespaces *namespaces, size_t most, char error[TAP_ERROR_SIZE]);

/* Makes the namespace of a site of the mesh with this run directory. */
bool tap_namespaces_add(struct tap_namespaces *namespaces, const char *name, unsigned site, const char *mesh,
                        char error[TAP_ERROR_SIZE]);

/* All are made: other processes may make theirs. */
void tap_namespaces_ready(struct tap_namespaces *namespaces);

/* Takes all away. */
void tap_namespaces_end(struct tap_namespaces *namespaces);

/* A name for a namespace: letters, digits, and -_. but not at its beginning. */
bool tap_name_is_good(const char *name);

#endif
