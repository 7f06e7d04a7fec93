/* CRC-16/CCITT-FALSE: polynomial 0x1021, start 0xffff, nothing reflected; "123456789" gives 0x29b1.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WIRE_CRC16_H
#define POSTROAD_WIRE_CRC16_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

uint16_t pr_crc16(const uint8_t *data, size_t length);

#ifdef __cplusplus
}
#endif

#endif
