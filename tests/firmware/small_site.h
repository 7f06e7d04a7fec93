/* A small operator (firmware/small) natively. Its variables are those of a program, so each site is a copy of its own
 * of a shared object build/tests/firmware/small-NAME.so, which is the image small-NAME compiled for the host, with the
 * sanitizers.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_FIRMWARE_SMALL_SITE_H
#define POSTROAD_TESTS_FIRMWARE_SMALL_SITE_H

#include "small/application.h"
#include "small/port_native.h"

/* What the shared object exports: small_functions. */
struct small_functions {
    bool (*start)(struct pr_network_interface *interface, const struct pr_site_identity *identity,
                  const struct port_console *console);
    bool (*round)(void);
    bool (*wake)(uint32_t *clock);
    uint32_t (*counter)(unsigned index);

    /* The application: packets delivered go to `delivered`. send, can_send: NULL in an image that
     * does not send. */
    void (*set_application)(void (*delivered)(void *context, const struct pr_small_delivery *delivery), void *context);
    bool (*send)(unsigned site, unsigned handler, const uint32_t *data, unsigned words);
    bool (*can_send)(void);

    unsigned buffers; /* that receive */
    bool has_console;
};

struct small_site {
    void *object;
    const struct small_functions *functions;
};

/* A site of the image `name`, as after a reset; ends the test if there is none. Its object may be one that was
 * unloaded. */
struct small_site small_site_load(const char *name);
void small_site_unload(struct small_site *site);

#endif
