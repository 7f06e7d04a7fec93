/* See doctor_checks.h. One function for each check.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "testbed/doctor_checks.h"

#include "libpostroad/run_directory.h"
#include "support/or_abort.h"
#include "testbed/board_match.h"
#include "testbed/console_rates.h"
#include "testbed/programmer_list.h"
#include "testbed/tool_output.h"
#include "testbed/udev_rules.h"
#include "testbed/usb_scan_host.h"

#include <errno.h>
#include <glob.h>
#include <grp.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TYPES_SIZE = 256, GROUPS_MAX = 256, NAMES_MAX = 256, BUS_CURRENT_MA = 500, HUB_CURRENT_MA = 100 };

static struct finding *add(struct findings *out, bool stops, const char *check, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static struct finding *add(struct findings *out, bool stops, const char *check, const char *format, ...)
{
    va_list arguments;
    out->list = or_abort(realloc(out->list, (out->count + 1) * sizeof *out->list));
    struct finding *finding = &out->list[out->count++];
    *finding = (struct finding){.stops = stops, .check = check};
    va_start(arguments, format);
    vsnprintf(finding->what, sizeof finding->what, format, arguments);
    va_end(arguments);
    return finding;
}

static void mend(struct finding *finding, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void mend(struct finding *finding, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->mend, sizeof finding->mend, format, arguments);
    va_end(arguments);
}

static bool may_be_board(const struct doctor *doctor, const struct usb_device *device)
{
    char types[TYPES_SIZE];
    return board_confs_fitting(doctor->confs, device, types, sizeof types) > 0;
}

/* ---- the files of devices, and permission ---- */

/* Rights, groups and udev rules have nothing to do with it. */
static void mend_missing(struct finding *finding)
{
    mend(finding,
         "in a container pass it in (`docker run -v /dev:/dev`, and the right to use it); elsewhere /dev is to be "
         "a devtmpfs");
}

/* Those of its console. */
static void check_tty(const struct usb_device *device, const char *tty, struct findings *out)
{
    enum usb_access access = usb_access_to(tty);
    if (access == USB_NO_FILE)
        mend_missing(
            add(out, true, "devices", "%s, a serial line of the device at port %s, is not there", tty, device->path));
    else if (access == USB_DENIED)
        mend(add(out, true, "devices", "this user may not use %s, a serial line of the device at port %s", tty,
                 device->path),
             "see udev and groups");
}

static void check_ttys(const struct doctor *doctor, struct findings *out)
{
    for (size_t i = 0; i < doctor->list->count; i++)
        for (int k = 0; k < USB_INTERFACES && may_be_board(doctor, &doctor->list->devices[i]); k++)
            if (*doctor->list->devices[i].tty[k])
                check_tty(&doctor->list->devices[i], doctor->list->devices[i].tty[k], out);
}

static void check_rules(const struct doctor *doctor, struct findings *out)
{
    bool there = udev_rules_are_there(doctor->confs, doctor->root);
    if (!there)
        mend(add(out, false, "udev",
                 "%s%s is not there, or of another version of the kit: only root may use the boards", doctor->root,
                 udev_rules_path),
             "run `postroad doctor --fix` as root, then `udevadm control --reload` and `udevadm trigger`");
    for (size_t i = 0; i < doctor->list->count; i++) {
        const struct usb_device *device = &doctor->list->devices[i];
        if (!may_be_board(doctor, device) || device->access == USB_MAY_USE)
            continue;
        if (device->access == USB_NO_FILE)
            mend_missing(add(out, true, "devices", "%s, the file of the device at port %s, is not there", device->node,
                             device->path));
        else
            mend(add(out, true, "udev", "this user may not write to %s, the device at port %s", device->node,
                     device->path),
                 there ? "run `udevadm trigger` as root, or plug it in again; see groups too"
                       : "install the udev rules (above), then plug it in again");
    }
}

static bool is_member(const char *name)
{
    gid_t groups[GROUPS_MAX];
    const struct group *group = getgrnam(name);
    int count = getgroups(GROUPS_MAX, groups);
    for (int i = 0; group && i < count; i++)
        if (groups[i] == group->gr_gid)
            return true;
    return group && getegid() == group->gr_gid;
}

/* Groups count for those who are not at the computer itself. Root needs none. */
static void check_groups(struct findings *out)
{
    static const char *const names[][2] = {{"plugdev", "the boards"}, {"dialout", "serial lines"}};
    for (size_t i = 0; geteuid() != 0 && i < sizeof names / sizeof *names; i++)
        if (!is_member(names[i][0]))
            mend(add(out, false, "groups", "this user is not in the group %s, which may use %s", names[i][0],
                     names[i][1]),
                 "run `sudo adduser $USER %s` and log in again", names[i][0]);
}

/* ---- the bus ---- */

/* The programmers take interface A of an FTDI chip from the kernel's driver, unless the serial line is open. */
static void check_drivers(const struct doctor *doctor, struct findings *out)
{
    for (size_t i = 0; i < doctor->list->count; i++) {
        const struct usb_device *device = &doctor->list->devices[i];
        char holder[PR_PROCESS_NAME];
        if (!may_be_board(doctor, device) || strcmp(device->driver[0], "ftdi_sio") != 0)
            continue;
        if (pr_process_name(pr_file_holder(device->tty[0]), holder))
            mend(add(out, true, "ftdi_sio",
                     "%s, interface A of the device at port %s, is open in %s: programmers need it", device->tty[0],
                     device->path, holder),
                 "end that program");
        else if (device->product == 0x6010)
            mend(
                add(out, false, "ftdi_sio",
                    "the driver ftdi_sio holds interface A of the device at port %s, which programmers need",
                    device->path),
                "programmers take it themselves; if one cannot, run `echo %s:1.0 >/sys/bus/usb/drivers/ftdi_sio/unbind` "
                "as root",
                device->path);
    }
}

static void check_hub(const struct doctor *doctor, const struct usb_device *first, struct findings *out)
{
    unsigned current = HUB_CURRENT_MA;
    for (size_t i = 0; i < doctor->list->count; i++)
        if (strcmp(doctor->list->devices[i].hub, first->hub) == 0)
            current += doctor->list->devices[i].current_ma;
    if (current > BUS_CURRENT_MA)
        mend(add(out, false, "hubs",
                 "hub %s has no power supply of its own, and it and its devices may take %u mA of %d mA", first->hub,
                 current, BUS_CURRENT_MA),
             "use a hub with a power supply, or plug fewer boards into this one");
}

static void check_hubs(const struct doctor *doctor, struct findings *out)
{
    for (size_t i = 0; i < doctor->list->count; i++) {
        const struct usb_device *device = &doctor->list->devices[i];
        bool first = device->hub_without_supply;
        for (size_t k = 0; k < i; k++)
            first = first && strcmp(doctor->list->devices[k].hub, device->hub) != 0;
        if (first)
            check_hub(doctor, device, out);
    }
}

/* ---- programs ---- */

static const char *package_of(const char *program)
{
    return strcmp(program, "iceprog") == 0          ? "fpga-icestorm"
           : strcmp(program, "openFPGALoader") == 0 ? "openfpgaloader"
           : strcmp(program, "ssh") == 0            ? "openssh-client"
                                                    : program;
}

/* Is the type one of the testbed, or of what is plugged in where there is no testbed? */
static bool is_used(const struct doctor *doctor, unsigned type)
{
    for (unsigned i = 0; i < doctor->testbed->board_count; i++)
        if (strcmp(doctor->testbed->boards[i].type, doctor->confs->names[type]) == 0)
            return true;
    for (size_t i = 0; !doctor->testbed->board_count && i < doctor->list->count; i++)
        if (board_match_fits(&doctor->list->devices[i], &doctor->confs->confs[type]))
            return true;
    return false;
}

static void check_program(const char *program, const char *type, struct findings *out)
{
    if (!tool_exists(program))
        mend(add(out, true, "programs", "%s is not there, which %s needs", program, type), "run `apt install %s`",
             package_of(program));
}

static void check_list(struct programmer_list *list, const struct board_conf *conf, const char *type,
                       struct findings *out)
{
    char name[PROGRAMMER_BOARD];
    enum programmer_knows knows = programmer_knows_board(list, conf);
    programmer_board_name(conf, name);
    if (knows == PROGRAMMER_KNOWS_NOT)
        mend(add(out, true, "programs", "this openFPGALoader does not list the board %s, which %s needs", name, type),
             "install a newer openFPGALoader than that of Debian 12: github.com/trabucayre/openFPGALoader");
    else if (knows == PROGRAMMER_GIVES_NO_LIST)
        mend(add(out, true, "programs", "`openFPGALoader --list-boards` %s, and %s needs it", list->reason, type),
             "run it by hand, and install it anew");
}

static void check_programs(const struct doctor *doctor, struct findings *out)
{
    struct programmer_list list = {.asked = false};
    bool remote = false;
    for (unsigned i = 0; i < doctor->confs->count; i++) {
        const struct board_conf *conf = &doctor->confs->confs[i];
        if (!is_used(doctor, i))
            continue;
        check_program(conf->programmer, doctor->confs->names[i], out);
        if (tool_exists(conf->programmer))
            check_list(&list, conf, doctor->confs->names[i], out);
    }
    programmer_list_free(&list);
    for (unsigned i = 0; i < doctor->testbed->board_count; i++)
        remote = remote || *doctor->testbed->boards[i].host;
    if (remote)
        check_program("ssh", "a board at another host", out);
}

/* ---- locks ---- */

/* A lock of another program: its process number is in the file. */
static void check_lock(const char *path, struct findings *out)
{
    FILE *file = fopen(path, "re");
    long process = 0;
    bool number = file && fscanf(file, "%ld", &process) == 1 && process > 0;
    if (file)
        fclose(file);
    if (number && kill((pid_t)process, 0) != 0 && errno == ESRCH)
        mend(add(out, false, "locks", "%s is of process %ld, which has ended", path, process), "run `rm %s`", path);
    else if (number)
        mend(add(out, true, "locks", "%s: process %ld uses the serial line", path, process), "end process %ld",
             process);
}

static void check_locks(const struct doctor *doctor, struct findings *out)
{
    static char names[NAMES_MAX][PR_RUN_NAME_SIZE];
    char pattern[PATH_MAX], directory[PR_RUN_DIRECTORY_SIZE], error[256];
    glob_t found;
    pid_t pid;
    snprintf(pattern, sizeof pattern, "%s/var/lock/LCK..tty*", doctor->root);
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++)
            check_lock(found.gl_pathv[i], out);
        globfree(&found);
    }
    int count = pr_run_directory_list(names, NAMES_MAX, false, error, sizeof error);
    for (int i = 0; i < count; i++)
        if (pr_run_directory_path(names[i], directory, sizeof directory) &&
            pr_run_directory_state(directory, &pid, error, sizeof error) == PR_RUN_STALE)
            mend(add(out, false, "locks", "the daemon of mesh %s has died, and left %s", names[i], directory),
                 "run `postroad down %s`", names[i]);
}

/* ---- boards of the testbed ---- */

/* Those of one host, with its devices. */
static void check_host(const struct doctor *doctor, const char *host, const struct usb_list *list, struct findings *out)
{
    const struct testbed *testbed = doctor->testbed;
    struct board_match *matches = or_abort(calloc(testbed->board_count + 1, sizeof *matches));
    struct board_conf *confs = board_confs_of(doctor->confs, testbed);
    board_match(testbed, confs, host, list, matches);
    for (unsigned i = 0; i < testbed->board_count; i++)
        if (matches[i].verdict != MATCH_FOUND && matches[i].verdict != MATCH_ELSEWHERE)
            mend(add(out, true, "boards", "board %s: %s%s%s: %s", testbed->boards[i].name, host, *host ? ": " : "",
                     match_verdict_name(matches[i].verdict), matches[i].reason),
                 "compare with `%s%s%spostroad boards`; `postroad enroll` writes the file anew", *host ? "ssh " : "",
                 host, *host ? " " : "");
    free(confs);
    free(matches);
}

static void check_boards(const struct doctor *doctor, struct findings *out)
{
    char error[FINDING_TEXT];
    for (unsigned i = 0; i < doctor->testbed->board_count; i++) {
        const char *host = doctor->testbed->boards[i].host;
        struct usb_list list;
        if (!board_match_begins_host(doctor->testbed, i))
            continue;
        if (!*host)
            check_host(doctor, host, doctor->list, out);
        else if (tool_exists("ssh") && usb_scan_host(host, &list, error, sizeof error) != 0)
            mend(add(out, true, "hosts", "%s", error),
                 "`ssh %s postroad boards` must work without a question: ssh-copy-id, and Postroad on the PATH there",
                 host);
        else if (tool_exists("ssh")) {
            check_host(doctor, host, &list, out);
            usb_list_free(&list);
        }
    }
}

static void add_rate(void *context, const char *board, int baud, int expected)
{
    mend(add(context, false, "consoles", "board %s answers at %d baud, not at %d", board, baud, expected),
         "write `baud = %d` into [board %s] of the file, or build its bitstream with `baud = %d` in board.conf", baud,
         board, expected);
}

void doctor_check(const struct doctor *doctor, struct findings *out)
{
    check_rules(doctor, out);
    check_ttys(doctor, out);
    check_groups(out);
    check_drivers(doctor, out);
    check_hubs(doctor, out);
    check_programs(doctor, out);
    check_locks(doctor, out);
    if (doctor->testbed->board_count) {
        check_boards(doctor, out);
        console_rates_look(doctor->testbed, add_rate, out);
    }
}
