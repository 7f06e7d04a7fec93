/* ice40_to_c: turns an iCE40 bitstream into C that simulates many chips of it at once.
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bitstream/ice40_asc.h"
#include "bitstream/ice40_chipdb.h"
#include "bitstream/ice40_netlist.h"
#include "bitstream/netlist.h"
#include "bitstream/slices_write.h"

enum { EXIT_USAGE = 1, EXIT_TRANSPORT = 2, ERROR_SIZE = 512, PATH_SIZE = 4096 };

static const char usage[] = "usage: ice40_to_c FILE.asc FILE.pcf PACKAGE OUT.c\n"
                            "  FILE.asc   the bitstream as iceunpack writes it\n"
                            "  FILE.pcf   its pins: lines set_io NAME PIN\n"
                            "  PACKAGE    ct256, sg48 ...\n"
                            "exit status: 0 ok, 1 usage or a bitstream without a model, 2 a file cannot be written\n";

static int write_c(const struct netlist *netlist, const char *path, char *error)
{
    FILE *out = fopen(path, "we");
    if (!out) {
        perror(path);
        return EXIT_TRANSPORT;
    }
    int status = slices_write(out, netlist, error, ERROR_SIZE) == 0 ? 0 : EXIT_USAGE;
    if (fclose(out) != 0) {
        perror(path);
        status = EXIT_TRANSPORT;
    }
    if (status != 0)
        remove(path);
    return status;
}

int main(int argc, char **argv)
{
    char error[ERROR_SIZE] = "", chip[PATH_SIZE];
    int status = EXIT_USAGE;
    if (argc != 5) {
        fputs(usage, stderr);
        return EXIT_USAGE;
    }
    struct ice40_asc *asc = ice40_asc_read(argv[1], error, sizeof error);
    struct ice40_chipdb *chipdb = NULL;
    struct netlist *netlist = NULL;
    if (asc) {
        snprintf(chip, sizeof chip, "/usr/share/fpga-icestorm/chipdb/chipdb-%s.txt", asc->device);
        chipdb = ice40_chipdb_read(chip, argv[3], asc, error, sizeof error);
    }
    if (chipdb && (netlist = ice40_netlist(asc, chipdb, argv[2], error, sizeof error)))
        status = write_c(netlist, argv[4], error);
    if (*error)
        fprintf(stderr, "ice40_to_c: %s\n", error);
    if (netlist)
        netlist_free(netlist);
    if (chipdb)
        ice40_chipdb_free(chipdb);
    if (asc)
        ice40_asc_free(asc);
    return status;
}
