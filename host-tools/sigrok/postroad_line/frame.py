# SPDX-License-Identifier: ISC
'''
Frames of a board link, and what a receiver makes of them (hw/board_link/README.md, frame_verdict.v, frame_crc.v).

Bit times of a frame:  0      1..3  4      5..6    7..8  9..24  25..32      33
                       start  tag   first  report  port  word   check byte  0
'''

from . import protocol

START_BITS = 1
BITS = 32
PLACE_BITS = START_BITS + BITS + 1  # with the idle bit behind it, which has to be 0

POLYNOMIAL = 0x0389
BEGINNING = 0xffff  # of the sum of a packet, and of a status frame


def crc_after(crc, value, bits):
    '''The sum behind the lowest bits of the value, most significant bit first.'''
    for place in reversed(range(bits)):
        inverted = (crc >> 15 ^ value >> place) & 1
        crc = (crc << 1 & 0xffff) ^ (POLYNOMIAL if inverted else 0)
    return crc


class Frame:
    '''bits: the levels of the line from the start bit on, PLACE_BITS of them.'''

    def __init__(self, bits):
        value = 0
        for bit in bits[START_BITS:START_BITS + BITS]:
            value = value << 1 | bit
        self.summed = value >> 8
        self.tag = value >> 29
        self.first = value >> 28 & 1
        self.report = value >> 26 & 3
        self.port = value >> 24 & 3
        self.word = value >> 8 & 0xffff
        self.check = value & 0xff
        self.idle = not bits[-1]
        self.ends = self.tag in (protocol.TAG_END_OF_PACKET, protocol.TAG_ABORT_PACKET)


class Receiver:
    '''
    The far end of the line. It takes the first word of a packet only behind a good frame. A capture may begin at any time: the
    far end is believed to be up, and a sum that is not known yet to fit.
    '''

    def __init__(self):
        self.sum = None        # of the packet on the line; None: the capture began within it
        self.good_before = True
        self.open = False      # a packet is under way

    def fault_of(self, frame):
        '''Compares the sums, and keeps that of the packet. A reason why the frame is damaged; None: it is not, or who can say.'''
        alone = not frame.tag or frame.first
        crc = BEGINNING if alone else self.sum
        known = crc is not None
        if known:
            crc = crc_after(crc, frame.summed, BITS - 8)
        if frame.tag:
            self.sum = crc
        if not frame.idle:
            return 'The line is not idle behind the frame'
        if known and frame.check != crc >> 8:
            return 'Check byte %02x, expected %02x' % (frame.check, crc >> 8)
        if known and frame.ends and crc & 0xff:
            return 'The CRC of the packet does not fit'
        return None

    def is_dead(self, frame):
        '''A head that went straight on by mistake: receivers with eager links ignore it.'''
        crc = crc_after(BEGINNING, frame.summed, BITS - 8)
        return frame.tag and frame.first and not frame.ends and frame.idle and \
            frame.check ^ crc >> 8 == protocol.LINK_DEAD_MARK

    def take(self, frame):
        '''What the frame does, as the OUTPUT_PYTHON of pd.py; FAULT: a damaged frame that ends no packet.'''
        if self.is_dead(frame):
            return [('FAULT', 'Dead frame: a head that went straight on by mistake')]
        fault = self.fault_of(frame)
        good_before = self.good_before
        self.good_before = not fault
        if fault:
            return [self.breaks(fault)]
        output = []
        if not frame.tag:
            output.append(('STATUS', (frame.port, frame.report, frame.word)))
        if self.open and frame.first:
            output.append(self.breaks('A packet within a packet'))
        elif frame.tag and (self.open or (frame.first and not frame.ends and good_before)):
            output.append(('WORD', (frame.tag, 0 if frame.ends else frame.word, frame.first)))
            self.open = not frame.ends
            return output
        if frame.tag:
            output.append(('REST', (frame.tag, 0 if frame.ends else frame.word)))
        return output

    def breaks(self, reason):
        was_open, self.open = self.open, False
        return ('BREAK' if was_open else 'FAULT', reason)
