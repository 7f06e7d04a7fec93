// Images for locked boards, and keys that sign them.
// SPDX-License-Identifier: ISC
#ifndef POSTROAD_TESTS_RTL_BOARD_SITE_SIGNED_IMAGES_H
#define POSTROAD_TESTS_RTL_BOARD_SITE_SIGNED_IMAGES_H

#include <cstdint>
#include <cstring>
#include <sodium.h>
#include <vector>

#include "protocol.h"

namespace
{

using words = std::vector<uint32_t>;

struct key_pair {
    uint8_t open[crypto_sign_PUBLICKEYBYTES], secret[crypto_sign_SECRETKEYBYTES];

    explicit key_pair(uint8_t first)
    {
        uint8_t seed[crypto_sign_SEEDBYTES] = {first};
        crypto_sign_seed_keypair(open, secret, seed);
    }
};

// An image that writes one letter on the console.
words letter_image(char letter)
{
    return {0x10000537, 0x00000593u | (uint32_t)letter << 20, 0x00b50023, 0x0000006f};
}

words sign(const words &image, uint32_t version, const key_pair &key)
{
    words all = image;
    all.insert(all.end(), {PR_SIGNATURE_MAGIC, version, PR_RAM_BASE, (uint32_t)image.size()});
    uint8_t value[crypto_sign_BYTES];
    crypto_sign_detached(value, nullptr, (const uint8_t *)all.data(), 4 * all.size(), key.secret);
    all.resize(all.size() + crypto_sign_BYTES / 4);
    memcpy(&all[all.size() - crypto_sign_BYTES / 4], value, sizeof value);
    return all;
}

} // namespace

#endif
