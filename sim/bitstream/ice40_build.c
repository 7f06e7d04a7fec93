/* See ice40_build.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "bitstream/ice40_build.h"

#include "bitstream/ice40_chipdb.h"
#include "bitstream/netlist.h"

#include <stdarg.h>
#include <stdio.h>

bool ice40_fail(struct ice40_build *build, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!build->failed)
        vsnprintf(build->error, build->error_size, format, arguments);
    va_end(arguments);
    build->failed = true;
    return false;
}

unsigned ice40_new_signal(struct ice40_build *build)
{
    return build->netlist->signals++;
}

int ice40_net(const struct ice40_build *build, int x, int y, const char *format, ...)
{
    char name[ICE40_FIELD_NAME];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    return ice40_chipdb_net(build->chipdb, x, y, name);
}

unsigned ice40_drive(struct ice40_build *build, int net)
{
    if (net == ICE40_NO_NET)
        return ice40_new_signal(build);
    build->signal_of[net] = (unsigned)net + 2;
    return (unsigned)net + 2;
}

void ice40_drive_as(struct ice40_build *build, int net, unsigned signal)
{
    build->signal_of[net] = signal;
}

unsigned ice40_signal(struct ice40_build *build, int net, unsigned unconnected)
{
    if (net == ICE40_NO_NET)
        return unconnected;
    int driver = ice40_chipdb_driver(build->chipdb, net);
    if (build->global_source[driver])
        driver = ice40_chipdb_driver(build->chipdb, build->global_source[driver]);
    if (build->signal_of[driver])
        return build->signal_of[driver];
    if (driver != net)
        ice40_fail(build,
                   "net %d leads to net %d, which nothing drives that this program has a model of (a DSP block, a "
                   "hard core, a pad without a set_io line)",
                   net, driver);
    return unconnected;
}

void ice40_buffer(struct ice40_build *build, unsigned in, unsigned out)
{
    *netlist_add_lut(build->netlist) = (struct netlist_lut){.table = NETLIST_BUFFER, .in = {in}, .out = out};
}
