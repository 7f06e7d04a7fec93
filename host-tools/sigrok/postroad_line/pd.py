# SPDX-License-Identifier: ISC
'''
OUTPUT_PYTHON format: what a line of any kind tells postroad_packet. ss and es are those of the frame.

['WORD', (tag, value, first)]
    A word that the far end takes. tag: TAG_* of protocol.py; value: the word, 0 of a terminator; first: it begins a packet.
    A packet is a word with `first`, further words, and one terminator, or BREAK in its place.
['BREAK', reason]
    The packet under way ends here, without its terminator. The far end ends it with abort_packet. reason: a text.
['REST', (tag, value)]
    A word of a packet of which the beginning was not seen or not taken.
['STATUS', (port, report, site)]
    A frame without a word: the sender's link, LINK_REPORT_* of the other direction, and the sender's site number.
'''

import sigrokdecode as srd
from . import protocol
from .frame import BITS, PLACE_BITS, START_BITS, Frame, Receiver

# Below it the middle of a bit is not found.
SAMPLES_OF_A_BIT = 3

TAGS = {protocol.TAG_ABORT_PACKET: 'abort', protocol.TAG_DATA: 'data', protocol.TAG_END_OF_PACKET: 'end',
        protocol.TAG_NULL_TARGET: 'null', protocol.TAG_MULTICAST_SITE: 'multicast', protocol.TAG_TARGET_INFO: 'info',
        protocol.TAG_UNICAST_SITE: 'unicast'}
REPORTS = {protocol.LINK_REPORT_DEAF: 'deaf', protocol.LINK_REPORT_GO: 'go', protocol.LINK_REPORT_STOP: 'stop',
           protocol.LINK_REPORT_LOST: 'lost'}


class SamplerateError(Exception):
    pass


class Ann:
    BIT, START, FIELD, CHECK, WORD, STATUS, REST, FAULT, BREAK = range(9)


class Decoder(srd.Decoder):
    api_version = 3
    id = 'postroad_line'
    name = 'Postroad line'
    longname = 'Line of a Postroad board link'
    desc = 'Frames of 36 bit times with a word of a packet or a status.'
    license = 'isc'
    inputs = ['logic']
    outputs = ['postroad_words']
    tags = ['Embedded/industrial', 'Networking']
    channels = (
        {'id': 'line', 'name': 'Line', 'desc': 'One direction of a board link'},
    )
    options = (
        {'id': 'link_clock', 'desc': 'Clock of the link (Hz), four times the bit rate', 'default': 12000000},
    )
    annotations = (
        ('bit', 'Bit'),
        ('start', 'Start bit'),
        ('field', 'Field'),
        ('check', 'Check byte'),
        ('word', 'Word'),
        ('status', 'Status'),
        ('rest', 'Word that is not taken'),
        ('fault', 'Fault'),
        ('break', 'Fault that ends a packet'),
    )
    annotation_rows = (
        ('bits', 'Bits', (Ann.BIT,)),
        ('fields', 'Fields', (Ann.START, Ann.FIELD, Ann.CHECK)),
        ('frames', 'Frames', (Ann.WORD, Ann.STATUS, Ann.REST)),
        ('faults', 'Faults', (Ann.FAULT, Ann.BREAK)),
    )

    def __init__(self):
        self.reset()

    def reset(self):
        self.samplerate = None
        self.receiver = Receiver()

    def start(self):
        self.out_ann = self.register(srd.OUTPUT_ANN)
        self.out_python = self.register(srd.OUTPUT_PYTHON)

    def metadata(self, key, value):
        if key == srd.SRD_CONF_SAMPLERATE:
            self.samplerate = value

    def samples_of_a_bit(self):
        if not self.samplerate:
            raise SamplerateError('Cannot decode without a sample rate.')
        if self.options['link_clock'] <= 0:
            raise SamplerateError('link_clock=%d: expected a number of Hz above 0.' % self.options['link_clock'])
        samples = 4 * self.samplerate / self.options['link_clock']
        if samples < SAMPLES_OF_A_BIT:
            raise SamplerateError('%d samples a second are too few for a link clock of %d Hz: expected %d at least.' %
                                  (self.samplerate, self.options['link_clock'],
                                   SAMPLES_OF_A_BIT * self.options['link_clock'] // 4))
        return samples

    # Sample `place` bit times behind the start of the frame.
    def sample(self, place):
        return self.begin + int(place * self.bit)

    def annotate(self, place, end, kind, texts):
        self.put(self.sample(place), self.sample(end), self.out_ann, [kind, texts])

    def annotate_fields(self, frame):
        self.annotate(0, START_BITS, Ann.START, ['Start', 'S'])
        tag = TAGS.get(frame.tag, 'status')
        report = REPORTS[frame.report]
        self.annotate(1, 4, Ann.FIELD, ['Tag: %s' % tag, tag, tag[0]])
        self.annotate(4, 5, Ann.FIELD, ['First: %d' % frame.first, '%d' % frame.first])
        self.annotate(5, 7, Ann.FIELD, ['Report: %s' % report, report, report[0]])
        self.annotate(7, 9, Ann.FIELD, ['Port: %d' % frame.port, '%d' % frame.port])
        self.annotate(9, 25, Ann.FIELD, ['%s: %04x' % ('CRC' if frame.ends else 'Word' if frame.tag else 'Site', frame.word),
                                         '%04x' % frame.word])
        self.annotate(25, 33, Ann.CHECK, ['Check: %02x' % frame.check, '%02x' % frame.check])

    def frame_has_come(self, frame):
        self.annotate_fields(frame)
        ss, es = self.sample(0), self.sample(START_BITS + BITS)
        for kind, content in self.receiver.take(frame):
            if kind != 'FAULT':
                self.put(ss, es, self.out_python, [kind, content])
            if kind == 'STATUS':
                port, report, site = content
                text = '%s, port %d, site %d' % (REPORTS[report], port, site)
                self.put(ss, es, self.out_ann, [Ann.STATUS, ['Status: ' + text, text, REPORTS[report]]])
            elif kind in ('BREAK', 'FAULT'):
                self.put(ss, es, self.out_ann, [Ann.BREAK if kind == 'BREAK' else Ann.FAULT, [content]])
            else:
                tag = TAGS[content[0]]
                text = '%s %04x' % (tag, content[1])
                texts = [text, text] if kind == 'REST' else ['%s%s' % ('First: ' if content[2] else '', text), text]
                self.put(ss, es, self.out_ann, [Ann.REST if kind == 'REST' else Ann.WORD, texts + [tag[0]]])

    # A bit is taken in its middle. The time of the whole frame comes from the edge of its start bit: half a bit of difference is
    # reached at 15000 ppm.
    def level_at(self, place):
        distance = self.sample(place + 0.5) - self.samplenum
        if distance > 0:
            self.level, = self.wait({'skip': distance})
        return self.level

    def take_bits(self):
        '''The start bit and those of the frame; none: the pulse is too short for a start bit.'''
        bits = []
        for place in range(START_BITS + BITS):
            level = self.level_at(place)
            if not level and not bits:
                break
            bits.append(level)
            self.annotate(place, place + 1, Ann.BIT, ['%d' % level])
        return bits

    def take_idle(self):
        '''The bit behind the frame, and the edge in front of it, or None: a bit that is not idle may begin a frame.'''
        middle = self.sample(PLACE_BITS - 0.5)
        self.level, = self.wait([{'skip': middle - self.samplenum}, {0: 'r'}])
        edge = self.samplenum if self.matched[1] else None
        level = self.level_at(PLACE_BITS - 1)
        return level, edge if level else None

    def decode(self):
        self.bit = self.samples_of_a_bit()
        edge = None
        while True:
            if edge is None:
                self.level, = self.wait({0: 'r'})
            self.begin, edge = self.samplenum if edge is None else edge, None
            bits = self.take_bits()
            if bits:
                idle, edge = self.take_idle()
                self.frame_has_come(Frame(bits + [idle]))
            else:
                self.annotate(0, 1, Ann.FAULT, ['A pulse too short for a start bit', 'Pulse'])
