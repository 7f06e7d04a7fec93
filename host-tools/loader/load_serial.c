/* See load_serial.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "loader/load_serial.h"

#include "cli/exit_code.h"
#include "loader/load_exchange.h"
#include "loader/load_line.h"
#include "loader/load_relay.h"

static int load_by(struct load_serial *load, struct load_way *way)
{
    int status = mesh_load(way, load->options, load->image, &load->words);
    load->sent += way->sent;
    load->repeats += way->repeats;
    return status;
}

static int enter(struct load_way *line, struct load_target *own)
{
    struct load_record record;
    load_record_enter(&record);
    own->wanted = true;
    return line->send(line, &record);
}

int load_serial(struct load_serial *load, struct load_target *own, struct load_target *targets, size_t count)
{
    struct load_exchange exchange;
    struct load_line line;
    struct load_relay relay;
    load->relays = false;
    load_line_open(&line, load->port, own);
    int status = enter(&line.way, own);
    if (status == EXIT_OK && !own->lost)
        status = load_relay_open(&relay, load->port, load->identity, count, &load->relays);
    if (status != EXIT_OK || own->lost)
        return status;
    if (!load->relays)
        return load_by(load, &line.way);
    load_exchange_open(&exchange, &relay.carrier, targets, count, load->port->timeout, load->seed);
    exchange.way.last = own;
    return load_by(load, &exchange.way);
}
