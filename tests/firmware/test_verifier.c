/* The verifier of locked boards: Ed25519 signatures of libsodium, and images that it has to refuse, natively and as
 * RV32I code under QEMU. Firmware's SHA-512 against libsodium's.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include <sodium.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "verifier/cases.h"
#include "verifier/sha512.h"
#include "verifier/signature.h"

enum {
    IMAGE_MAX = PR_LOAD_VERIFIER / 4,
    LOCK_WORDS = PR_LOCK_WORDS - PR_LOCK_KEY,
    OLDEST = 3,
    CASES_MAX = 64,
    HASHES = 300,
    HASH_MAX = 1000
};

struct image {
    uint32_t address, words, lock[LOCK_WORDS], content[IMAGE_MAX];
};

static uint64_t random_state;
static uint8_t secret[crypto_sign_SECRETKEYBYTES], key[crypto_sign_PUBLICKEYBYTES];
static FILE *cases;
static char expected[CASES_MAX];
static unsigned count;

static void make_key(void)
{
    uint8_t seed[crypto_sign_SEEDBYTES];
    for (unsigned k = 0; k < sizeof seed; k++)
        seed[k] = (uint8_t)check_random(&random_state);
    crypto_sign_seed_keypair(key, secret, seed);
}

/* An image of random words, of which the last are its signature by `secret`. */
static struct image *make(unsigned words, uint32_t version)
{
    static struct image image;
    uint32_t *signature = image.content + words;
    image.address = PR_RAM_BASE;
    image.words = words + PR_SIGNATURE_WORDS;
    memcpy(image.lock, key, sizeof key);
    image.lock[PR_LOCK_OLDEST - PR_LOCK_KEY] = OLDEST;
    for (unsigned k = 0; k < words; k++)
        image.content[k] = check_random(&random_state);
    signature[PR_SIGNATURE_MARK] = PR_SIGNATURE_MAGIC;
    signature[PR_SIGNATURE_VERSION] = version;
    signature[PR_SIGNATURE_ADDRESS] = image.address;
    signature[PR_SIGNATURE_LENGTH] = words;
    crypto_sign_detached((uint8_t *)(signature + PR_SIGNATURE_VALUE), NULL, (const uint8_t *)image.content,
                         4 * (words + PR_SIGNATURE_VALUE), secret);
    return &image;
}

static void expect(const struct image *image, char verdict)
{
    char found = pr_signature_check(image->content, image->address, image->words, image->lock);
    check(found == verdict, "case %u: verdict %c, expected %c", count, found, verdict);
    fwrite(image, 4, VERIFIER_CASE_IMAGE + image->words, cases);
    expected[count++] = verdict;
}

static void flip(struct image *image, unsigned word)
{
    image->content[word] ^= UINT32_C(1) << check_below(&random_state, 32);
}

/* The second half of a signature is a number below the order of the curve's group: with the order added it is another
 * signature of the same image, and must not be accepted. */
static void add_order(struct image *image)
{
    static const uint32_t order[] = {0x5cf5d3ed, 0x5812631a, 0xa2f79cd6, 0x14def9de, 0, 0, 0, 0x10000000};
    uint32_t *number = image->content + image->words - 8;
    uint64_t carry = 0;
    for (unsigned k = 0; k < 8; k++) {
        carry += (uint64_t)number[k] + order[k];
        number[k] = (uint32_t)carry;
        carry >>= 32;
    }
}

static void test_accepted(void)
{
    expect(make(1, OLDEST), PR_LOAD_DONE);
    expect(make(1 + check_below(&random_state, 300), OLDEST + 1), PR_LOAD_DONE);
    expect(make(IMAGE_MAX - PR_SIGNATURE_WORDS, UINT32_MAX), PR_LOAD_DONE);
}

static void test_flipped(void)
{
    const unsigned words = 1 + check_below(&random_state, 300);
    const unsigned places[] = {0, check_below(&random_state, words), words - 1, words + PR_SIGNATURE_VALUE,
                               words + PR_SIGNATURE_WORDS - 1};
    for (unsigned k = 0; k < sizeof places / sizeof *places; k++) {
        struct image *image = make(words, OLDEST);
        flip(image, places[k]);
        expect(image, PR_LOAD_BAD_SIGNATURE);
    }
    struct image *image = make(words, OLDEST);
    image->content[words + PR_SIGNATURE_VERSION]++;
    expect(image, PR_LOAD_BAD_SIGNATURE);
    image = make(words, OLDEST);
    add_order(image);
    expect(image, PR_LOAD_BAD_SIGNATURE);
}

static void test_other_key(void)
{
    struct image *image = make(20, OLDEST);
    make_key();
    memcpy(image->lock, key, sizeof key);
    expect(image, PR_LOAD_BAD_SIGNATURE);
    memset(image->lock, 0, sizeof key); /* a point of low order, and no key: not filled in */
    expect(image, PR_LOAD_BAD_SIGNATURE);
}

static void test_old(void)
{
    expect(make(20, OLDEST - 1), PR_LOAD_OLD_VERSION);
    expect(make(20, 0), PR_LOAD_OLD_VERSION);
}

static void test_unsigned(void)
{
    struct image *image = make(20, OLDEST);
    image->words--;
    expect(image, PR_LOAD_UNSIGNED);
    image = make(20, OLDEST);
    flip(image, 20 + PR_SIGNATURE_MARK);
    expect(image, PR_LOAD_UNSIGNED);
    image = make(20, OLDEST);
    image->address += 4;
    expect(image, PR_LOAD_UNSIGNED);
    image = make(20, OLDEST);
    memmove(image->content, image->content + 1, 4 * --image->words);
    expect(image, PR_LOAD_UNSIGNED);
    image = make(1, OLDEST);
    image->words = PR_SIGNATURE_WORDS - 1;
    expect(image, PR_LOAD_UNSIGNED);
}

static void test_too_long(void)
{
    struct image *image = make(20, OLDEST);
    image->address = PR_RAM_BASE + PR_LOAD_VERIFIER - 4 * image->words + 4;
    expect(image, PR_LOAD_BAD_ADDRESS);
}

static void test_sha512(void)
{
    for (unsigned k = 0; k < HASHES; k++) {
        uint8_t bytes[HASH_MAX], own[PR_SHA512_BYTES], other[crypto_hash_sha512_BYTES];
        unsigned length = k < 260 ? k : check_below(&random_state, HASH_MAX);
        unsigned first = check_below(&random_state, length + 1);
        struct pr_sha512 hash;
        for (unsigned at = 0; at < length; at++)
            bytes[at] = (uint8_t)check_random(&random_state);
        pr_sha512_begin(&hash);
        pr_sha512_add(&hash, bytes, first);
        pr_sha512_add(&hash, bytes + first, length - first);
        pr_sha512_end(&hash, own);
        crypto_hash_sha512(other, bytes, length);
        check(memcmp(own, other, sizeof own) == 0, "the SHA-512 of %u bytes is wrong", length);
    }
}

/* The same verdicts of the code that sites run. */
static void test_qemu(const char *path)
{
    char command[1000], found[CASES_MAX + 1];
    snprintf(command, sizeof command,
             "timeout 100 qemu-system-riscv32 -M virt -bios none -nographic -monitor none -serial stdio "
             "-kernel build/firmware/verifier-cases.elf -device loader,file=%s,addr=0x%x </dev/null",
             path, PR_RAM_BASE + VERIFIER_CASES);
    FILE *qemu = popen(command, "r");
    CHECK(qemu != NULL);
    size_t length = fread(found, 1, CASES_MAX, qemu);
    CHECK(pclose(qemu) == 0);
    check(length == count && memcmp(found, expected, count) == 0, "under QEMU: verdicts %.*s, expected %.*s",
          (int)length, found, (int)count, expected);
}

int main(void)
{
    static const uint32_t end[VERIFIER_CASE_IMAGE];
    char path[] = "/tmp/postroad-cases.XXXXXX";
    int file = mkstemp(path);
    CHECK(file >= 0 && sodium_init() >= 0);
    cases = fdopen(file, "w");
    CHECK(cases != NULL);
    random_state = check_seed();
    make_key();
    RUN(test_sha512);
    RUN(test_accepted);
    RUN(test_flipped);
    RUN(test_other_key);
    RUN(test_old);
    RUN(test_unsigned);
    RUN(test_too_long);
    fwrite(end, sizeof end, 1, cases);
    CHECK(fclose(cases) == 0);
    test_qemu(path);
    unlink(path);
    return verdict("test_verifier");
}
