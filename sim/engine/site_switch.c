/* A switch: a fabric whose operator's port nothing is connected to. Nobody answers for it.
 *
 * SPDX-License-Identifier: ISC
 */
#include "engine/site_functions.h"

static int attach(struct engine *engine, struct site *site, const struct simulation_options *options, char *error,
                  size_t error_size)
{
    (void)engine, (void)options, (void)error, (void)error_size;
    engine_store_slot(site->local_in, 0);
    return 0;
}

static void free_site(struct site *site)
{
    (void)site;
}

static void nothing(struct engine *engine, struct site *site)
{
    (void)engine, (void)site;
}

static bool goes_on(struct engine *engine, struct site *site)
{
    (void)engine, (void)site;
    return false;
}

static bool at_rest(const struct engine *engine, const struct site *site)
{
    return !engine_is_active(engine, site);
}

static uint32_t counter(struct site *site, unsigned index)
{
    return engine_fabric_counter(site, index);
}

static size_t console_read(struct site *site, uint8_t *bytes, size_t length)
{
    (void)site, (void)bytes, (void)length;
    return 0;
}

static size_t console_write(struct engine *engine, struct site *site, const uint8_t *bytes, size_t length)
{
    (void)engine, (void)site, (void)bytes;
    return length;
}

const struct site_functions site_switch = {
    .part = PART_FABRIC,
    .attach = attach,
    .free = free_site,
    .enter_reset = nothing,
    .leave_reset = nothing,
    .poll = nothing,
    .clock_local = nothing,
    .goes_on = goes_on,
    .at_rest = at_rest,
    .counter = counter,
    .console_read = console_read,
    .console_write = console_write,
};
