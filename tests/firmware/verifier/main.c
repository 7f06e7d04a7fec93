/* The verifier's check on cases of test_verifier.c, under QEMU: prints the verdict of each, a letter, and ends.
 *
 * SPDX-License-Identifier: ISC
 */
#include "cases.h"
#include "drivers/finisher.h"
#include "drivers/uart.h"
#include "verifier/signature.h"

int main(void)
{
    const uint32_t *one = (const uint32_t *)(PR_RAM_BASE + VERIFIER_CASES);
    while (one[VERIFIER_CASE_WORDS] != 0) {
        const uint32_t *image = one + VERIFIER_CASE_IMAGE;
        uint32_t words = one[VERIFIER_CASE_WORDS];
        char verdict = pr_signature_check(image, one[VERIFIER_CASE_ADDRESS], words, one + VERIFIER_CASE_LOCK);
        pr_uart_put((uint8_t)verdict);
        one = image + words;
    }
    pr_finisher_end(0);
}
