# SPDX-License-Identifier: ISC
import sigrokdecode as srd
from . import protocol
from .header import COORDINATE_BITS, count_of_words, describe_header

REPORTS = {protocol.LINK_REPORT_DEAF: 'hears nothing', protocol.LINK_REPORT_GO: 'go', protocol.LINK_REPORT_STOP: 'stop',
           protocol.LINK_REPORT_LOST: 'has lost a frame'}
SITE_TAGS = (protocol.TAG_UNICAST_SITE, protocol.TAG_MULTICAST_SITE)
ENTRY_TAGS = SITE_TAGS + (protocol.TAG_TARGET_INFO, protocol.TAG_NULL_TARGET)
EAGER_BIT = 15  # of the site number in a status frame: the sender has eager links


class Ann:
    TARGET, INFO, NULL, HEADER, DATA, END, ABORT, PACKET, ABORTED, LINK, FAULT = range(11)


class Packet:
    def __init__(self, ss):
        self.ss = ss
        self.targets = []  # (site word, target_info words)
        self.nulls = 0     # words of target entries that this copy does not serve
        self.data = []     # (ss, es, word)


class Decoder(srd.Decoder):
    api_version = 3
    id = 'postroad_packet'
    name = 'Postroad packet'
    longname = 'Packets of a Postroad fabric'
    desc = 'Targets, operator header, data and terminator of packets.'
    license = 'isc'
    inputs = ['postroad_words']
    outputs = []
    tags = ['Embedded/industrial', 'Networking']
    options = (
        {'id': 'service', 'desc': 'Service of the mesh, which its headers follow', 'default': 'reliable',
         'values': ('reliable', 'raw')},
        {'id': 'topology', 'desc': 'Topology of the mesh, which its site words follow', 'default': 'grid',
         'values': ('grid', 'torus', 'hypercube')},
    )
    annotations = (
        ('target', 'Target'),
        ('info', 'target_info'),
        ('null', 'null_target'),
        ('header', 'Header'),
        ('data', 'Data'),
        ('end', 'End of packet'),
        ('abort', 'Abort'),
        ('packet', 'Packet'),
        ('aborted', 'Aborted packet'),
        ('link', 'Link'),
        ('fault', 'Fault'),
    )
    annotation_rows = (
        ('words', 'Words', (Ann.TARGET, Ann.INFO, Ann.NULL, Ann.HEADER, Ann.DATA, Ann.END, Ann.ABORT)),
        ('packets', 'Packets', (Ann.PACKET, Ann.ABORTED)),
        ('links', 'Links', (Ann.LINK,)),
        ('faults', 'Faults', (Ann.FAULT,)),
    )

    def __init__(self):
        self.reset()

    def reset(self):
        self.packet = None
        self.link = None

    def start(self):
        self.out_ann = self.register(srd.OUTPUT_ANN)

    def annotate(self, ss, es, kind, *texts):
        self.put(ss, es, self.out_ann, [kind, list(texts)])

    def place(self, word):
        '''The address in a site word, with a * for its mark.'''
        mark = '*' if word >> protocol.SITE_MARK_BIT_16 & 1 else ''
        if self.options['topology'] == 'hypercube':
            return '%d%s' % (word & (1 << protocol.SITE_DIMENSIONS_MAX) - 1, mark)
        mask = (1 << COORDINATE_BITS) - 1
        return '(%d,%d)%s' % (word & mask, word >> COORDINATE_BITS & mask, mark)

    # ---- Words of a packet.
    def take_entry(self, ss, es, tag, word):
        packet = self.packet
        if packet.data:
            self.annotate(ss, es, Ann.FAULT, 'A target entry behind data')
        if tag == protocol.TAG_NULL_TARGET:
            packet.nulls += 1
            self.annotate(ss, es, Ann.NULL, 'null_target', 'null', '0')
        elif tag == protocol.TAG_TARGET_INFO:
            if packet.targets:
                packet.targets[-1][1].append(word)
            else:
                self.annotate(ss, es, Ann.FAULT, 'target_info without a site word')
            self.annotate(ss, es, Ann.INFO, 'target_info %04x' % word, 'info %04x' % word, '%04x' % word)
        else:
            packet.targets.append((word, []))
            kind = 'Unicast to' if tag == protocol.TAG_UNICAST_SITE else 'Multicast to'
            place = self.place(word)
            self.annotate(ss, es, Ann.TARGET, '%s %s' % (kind, place), place)

    def take_word(self, ss, es, tag, word, first):
        if first:
            self.packet = Packet(ss)
            if tag not in SITE_TAGS + (protocol.TAG_NULL_TARGET,):
                self.annotate(ss, es, Ann.FAULT, 'A packet that does not begin with a target')
        if self.packet is None:
            self.annotate(ss, es, Ann.FAULT, 'A word outside of a packet')
        elif tag in ENTRY_TAGS:
            self.take_entry(ss, es, tag, word)
        elif tag == protocol.TAG_DATA:
            self.packet.data.append((ss, es, word))
        elif tag == protocol.TAG_END_OF_PACKET:
            self.annotate(ss, es, Ann.END, 'end_of_packet', 'end', 'E')
            self.close(es, None)
        else:
            self.annotate(ss, es, Ann.ABORT, 'abort_packet', 'abort', 'A')
            self.close(es, 'by its sender')

    # ---- Its end, where the header is known from the number of its words.
    def close(self, es, aborted):
        packet, self.packet = self.packet, None
        if packet is None:
            return
        header = self.put_data(packet, aborted)
        targets = ' '.join(self.place(word) + ''.join('+%04x' % info for info in infos) for word, infos in packet.targets)
        text = '%s: %s, %s' % (targets or 'no target left', header, count_of_words(len(packet.data)))
        if aborted:
            self.annotate(packet.ss, es, Ann.ABORTED, 'Aborted %s: %s' % (aborted, text), 'Aborted: ' + text, 'Aborted')
        else:
            self.annotate(packet.ss, es, Ann.PACKET, text, header, targets)

    def put_data(self, packet, aborted):
        reliable = self.options['service'] == 'reliable'
        header = describe_header([word for ss, es, word in packet.data], reliable)
        if header.fault and not aborted:
            self.annotate(packet.data[0][0] if packet.data else packet.ss, packet.data[-1][1] if packet.data else packet.ss,
                          Ann.FAULT, header.fault)
        for (ss, es, word), meaning in zip(packet.data, header.words):
            self.annotate(ss, es, Ann.HEADER, meaning, '%04x' % word)
        for ss, es, word in packet.data[len(header.words):]:
            self.annotate(ss, es, Ann.DATA, 'Data %04x' % word, '%04x' % word)
        return header.text

    def decode(self, ss, es, data):
        kind, content = data
        if kind == 'WORD':
            self.take_word(ss, es, *content)
        elif kind == 'BREAK':
            self.annotate(ss, es, Ann.FAULT, content)
            self.annotate(ss, es, Ann.ABORT, 'abort_packet in place of a damaged frame', 'abort', 'A')
            self.close(es, 'by a damaged frame')
        elif kind == 'STATUS' and content != self.link:
            port, report, site = self.link = content
            name = 'Link %d of site %d' % (port, site & (1 << EAGER_BIT) - 1)
            eager = ' (eager)' if site >> EAGER_BIT else ''
            self.annotate(ss, es, Ann.LINK, '%s%s: %s' % (name, eager, REPORTS[report]), REPORTS[report])
