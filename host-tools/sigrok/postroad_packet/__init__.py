# SPDX-License-Identifier: ISC
'''
Packets of a Postroad fabric: target entries (site words with their
target_info), the operator's header, data, and a terminator. The words come
from a decoder of a line, such as postroad_line.
'''

from .pd import Decoder
