/* See udev_rules.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "testbed/udev_rules.h"

#include "support/or_abort.h"
#include "support/output_file.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

const char udev_rules_path[] = "/etc/udev/rules.d/70-postroad.rules";

static bool is_first(const struct board_confs *confs, unsigned number)
{
    for (unsigned i = 0; i < number; i++)
        if (strcmp(confs->confs[i].usb, confs->confs[number].usb) == 0)
            return false;
    return true;
}

static void write_rules(const struct board_confs *confs, FILE *out)
{
    fputs("# Boards of Postroad, written by postroad doctor --fix: a rule for each pair of USB ids.\n", out);
    for (unsigned i = 0; i < confs->count; i++) {
        const struct board_conf *conf = &confs->confs[i];
        if (!is_first(confs, i))
            continue;
        fprintf(out,
                "SUBSYSTEM==\"usb\", ATTR{idVendor}==\"%04x\", ATTR{idProduct}==\"%04x\", MODE=\"0660\", "
                "GROUP=\"plugdev\", TAG+=\"uaccess\"\n",
                conf->usb_vendor, conf->usb_product);
        fprintf(out,
                "SUBSYSTEM==\"tty\", ATTRS{idVendor}==\"%04x\", ATTRS{idProduct}==\"%04x\", MODE=\"0660\", "
                "GROUP=\"plugdev\", TAG+=\"uaccess\"\n",
                conf->usb_vendor, conf->usb_product);
    }
}

static char *text_of(const struct board_confs *confs, size_t *length)
{
    char *text = NULL;
    FILE *memory = or_abort(open_memstream(&text, length));
    write_rules(confs, memory);
    fclose(memory);
    return text;
}

bool udev_rules_are_there(const struct board_confs *confs, const char *root)
{
    char path[PATH_MAX], *wanted, *found;
    size_t length, got;
    snprintf(path, sizeof path, "%s%s", root, udev_rules_path);
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    wanted = text_of(confs, &length);
    found = or_abort(malloc(length + 1));
    got = fread(found, 1, length + 1, file);
    bool same = got == length && memcmp(found, wanted, length) == 0;
    fclose(file);
    free(found);
    free(wanted);
    return same;
}

int udev_rules_install(const struct board_confs *confs, const char *root, char *error, size_t error_size)
{
    char path[PATH_MAX];
    struct output_file output;
    snprintf(path, sizeof path, "%s%s", root, udev_rules_path);
    if (output_file_open(&output, path, error, error_size) != 0)
        return -1;
    write_rules(confs, output.file);
    return output_file_close(&output, error, error_size);
}
