/* The small operator's machine in a test: a network_interface, and streams of bytes. See port.h.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_SMALL_PORT_NATIVE_H
#define POSTROAD_SMALL_PORT_NATIVE_H

#include "operator/network_interface.h"
#include "wire/site_identity.h"

/* The console's bytes; may stay NULL in an image without a console. */
struct port_console {
    bool (*has_byte)(void *context);
    uint8_t (*get)(void *context);
    bool (*has_room)(void *context);
    void (*put)(void *context, uint8_t byte);
    void *context;
};

extern struct pr_network_interface *port_interface;
extern const struct pr_site_identity *port_site;
extern struct port_console port_console;

static inline struct pr_packet *port_received(void)
{
    return pr_network_interface_received(port_interface);
}

static inline struct pr_packet *port_sent(void)
{
    return pr_network_interface_sent(port_interface);
}

/* A full ring is an error of the operator. */
void port_post(struct pr_packet *packet);
void port_send(struct pr_packet *packet);

static inline void port_start(unsigned receive_words)
{
    (void)receive_words;
}

static inline void port_relieve(bool on)
{
    pr_network_interface_relieve(port_interface, on);
}

static inline uint32_t port_clock(void)
{
    return pr_network_interface_clock(port_interface);
}

static inline uint32_t port_identity(unsigned offset)
{
    return (&port_site->map_version)[offset / 4];
}

static inline bool port_needs_routes(void)
{
    return port_interface->capabilities.source_routed;
}

static inline uint32_t port_counter(unsigned index)
{
    return pr_network_interface_counter(port_interface, index);
}

static inline bool port_has_byte(void)
{
    return port_console.has_byte(port_console.context);
}

static inline uint8_t port_get_byte(void)
{
    return port_console.get(port_console.context);
}

static inline bool port_has_room(void)
{
    return port_console.has_room(port_console.context);
}

static inline void port_put_byte(uint8_t byte)
{
    port_console.put(port_console.context, byte);
}

#endif
