/* Images and the verdicts of the verifier on them: what test_verifier.c writes and a program under QEMU reads, at
 * VERIFIER_CASES in its RAM. Words, low byte first.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_FIRMWARE_VERIFIER_CASES_H
#define POSTROAD_TESTS_FIRMWARE_VERIFIER_CASES_H

enum {
    VERIFIER_CASES = 0x100000, /* from the start of RAM */
    VERIFIER_CASE_ADDRESS = 0,
    VERIFIER_CASE_WORDS = 1, /* of the image with its signature; 0: no further case */
    VERIFIER_CASE_LOCK = 2,
    VERIFIER_CASE_IMAGE = 11
};

#endif
