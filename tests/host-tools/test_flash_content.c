/* Records in a flash that are whole, but have fewer words than their kind needs: they are no image.
 *
 * SPDX-License-Identifier: ISC
 */
#include "check.h"
#include "loader/load_records.h"
#include "testbed/flash_content.h"

#include <sodium.h>
#include <string.h>

enum { FLASH = 4096, WORDS = 3 };

/* The record with only its first data words, and a check that fits. */
static void shorten(struct load_record *record, unsigned count)
{
    record->words[PR_LOAD_COUNT] = (record->words[PR_LOAD_COUNT] & ~0xffffu) | count;
    record->words[PR_LOAD_DATA + count] = load_record_crc(record->words, PR_LOAD_DATA + count);
    record->count = PR_LOAD_EXTRA + count;
}

/* What is seen of a site record, data and a go record, of which the first and the last have so many words. */
static struct flash_content read_image(unsigned site_words, unsigned go_words)
{
    static uint8_t flash[FLASH];
    static const uint32_t site[PR_SITE_RECORD_WORDS] = {[PR_SITE_RECORD_SITE] = 5}, words[WORDS] = {1, 2, 3};
    struct flash_content content;
    struct load_record record;
    size_t at = 0;
    memset(flash, 0xff, sizeof flash);
    load_record_site(&record, site);
    if (site_words < PR_SITE_RECORD_WORDS)
        shorten(&record, site_words);
    at += load_record_bytes(&record, flash + at);
    load_record_data(&record, PR_RAM_BASE, words, WORDS);
    at += load_record_bytes(&record, flash + at);
    load_record_go(&record, PR_RAM_BASE, words, WORDS);
    if (go_words < 2)
        shorten(&record, go_words);
    load_record_bytes(&record, flash + at);
    flash_content_read(&content, flash, sizeof flash);
    return content;
}

int main(void)
{
    CHECK(sodium_init() >= 0);
    struct flash_content content = read_image(PR_SITE_RECORD_WORDS, 2);
    CHECK(content.site_count == 1 && content.sites[0].good && content.sites[0].site == 5);
    CHECK_EQUAL(content.sites[0].words, WORDS);
    for (unsigned count = 0; count < PR_SITE_RECORD_WORDS; count++)
        check(read_image(count, 2).site_count == 0, "a site record of %u words is one", count);
    for (unsigned count = 0; count < 2; count++) {
        content = read_image(PR_SITE_RECORD_WORDS, count);
        check(content.site_count == 1 && !content.sites[0].good && content.sites[0].words == 0,
              "a go record of %u words starts something", count);
    }
    return verdict("test_flash_content");
}
