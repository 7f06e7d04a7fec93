# SPDX-License-Identifier: ISC
'''
The line of a Postroad board link: one wire that carries frames of 36 bit
times, four samples of the link's clock each. A frame is a start bit, a
header, 16 bits and a check byte. It carries a word of a packet, or the
state of the link. hw/board_link/README.md of Postroad describes it.

Stack postroad_packet on top for packets.
'''

from .pd import Decoder
