/* What may keep boards from being flashed, and how each thing is mended. Looks, and changes nothing.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTBED_DOCTOR_CHECKS_H
#define POSTROAD_TESTBED_DOCTOR_CHECKS_H

#include "testbed/board_confs.h"

enum { FINDING_TEXT = 400 };

struct finding {
    bool stops; /* boards cannot be flashed; else it may become a trouble */
    const char *check;
    char what[FINDING_TEXT], mend[FINDING_TEXT];
};

struct findings {
    size_t count;
    struct finding *list; /* free */
};

struct doctor {
    const struct board_confs *confs;
    const struct testbed *testbed; /* board_count 0: none */
    const struct usb_list *list;
    const char *root; /* "": the real one; for /etc and /var/lock */
};

void doctor_check(const struct doctor *doctor, struct findings *out);

#endif
