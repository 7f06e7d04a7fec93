# SPDX-License-Identifier: ISC
'''
The operator's header: the first data words of a packet, and what they mean (firmware/wire/header.h, hw/protocol/packet.ini).
'''

from . import protocol

COORDINATE_BITS = protocol.SITE_COORD_WIDTH_16
KIND_BIT = 1 << protocol.HEADER_KIND_BIT_16
EPOCH_MASK = 0x1f
BYTE_MASK = 0xff
RAW_TRIES_SHIFT = 8
SOURCE_WORDS = 1

CONTROLS = {protocol.CONTROL_TYPE_BASE: 'base', protocol.CONTROL_TYPE_RESTARTED: 'restarted'}
HANDLERS = {protocol.HANDLER_LOAD: 'load', protocol.HANDLER_SERVICE: 'service'}


class Header:
    '''text: the whole in a line. words: the meaning of each of its words; what follows is the application's.'''

    def __init__(self, text, words, fault=None):
        self.text, self.words, self.fault = text, words, fault


def count_of_words(count):
    return '1 data word' if count == 1 else '%d data words' % count


def bad(reason):
    return Header('no header', [], reason)


def acknowledged(sequence, bitmap):
    '''What a receiver has: the numbers before a gap, the last first. A bitmap that has no gap up to its end, as one that begins
    with its receiver, stands for all earlier numbers, whether they were ever sent or not.'''
    oldest = protocol.ACKNOWLEDGEMENT_EPOCH_SHIFT
    seen = bitmap << 1 | 1  # bit k: sequence - k
    first = oldest
    while first > 0 and seen >> first - 1 & 1:
        first -= 1
    whole = seen >> oldest & 1  # from bit `first` on nothing is missing
    texts = ['%d' % (sequence - k & 0xffff) for k in range(first if whole else oldest) if seen >> k & 1]
    return ' '.join(texts + (['all up to %d' % (sequence - first & 0xffff)] if whole else []))


def describe_acknowledgement(words):
    sequence, rest = words
    bitmap = rest & (1 << protocol.ACKNOWLEDGEMENT_EPOCH_SHIFT) - 1
    epoch = rest >> protocol.ACKNOWLEDGEMENT_EPOCH_SHIFT & EPOCH_MASK
    return 'acknowledges %s of epoch %d' % (acknowledged(sequence, bitmap), epoch), \
        ['Acknowledges %d' % sequence, 'Bitmap %03x, epoch %d' % (bitmap, epoch)]


def describe_control(source, words):
    kind, epoch, peer_epoch, low, high = words
    name = CONTROLS.get(kind, 'of unknown type %d' % kind)
    base = high << 16 | low
    text = 'site %d, control %s, epoch %d' % (source, name, epoch)
    if kind == protocol.CONTROL_TYPE_BASE:
        text += ', base %d, peer epoch %d' % (base, peer_epoch)
    return Header(text, ['Source %d, control' % source, 'Control %s' % name, 'Epoch %d' % epoch, 'Peer epoch %d' % peer_epoch,
                         'Base, low %04x' % low, 'Base, high %04x' % high])


def describe_data(data, reliable):
    source, sequence, flags = data[:protocol.HEADER_WORDS]
    handler = flags & BYTE_MASK
    text = 'site %d, sequence %d, handler %s' % (source, sequence, HANDLERS.get(handler, '%d' % handler))
    words = ['Source %d' % source, 'Sequence %d' % sequence, 'Handler %s' % HANDLERS.get(handler, '%d' % handler)]
    if not reliable or handler == protocol.HANDLER_LOAD:  # load records are raw in every mesh
        tries = ', tries %d' % (flags >> RAW_TRIES_SHIFT)
        return Header(text + tries, words[:2] + [words[2] + tries])
    epoch = ', epoch %d' % (flags >> protocol.HEADER_EPOCH_SHIFT & EPOCH_MASK)
    aborted = ', aborted before' if flags >> protocol.HEADER_ABORTED_BIT & 1 else ''
    text, words[2] = text + epoch + aborted, words[2] + epoch + aborted
    if not flags >> protocol.HEADER_CARRIES_BIT & 1:
        return Header(text, words)
    behind = data[protocol.HEADER_WORDS:protocol.HEADER_WORDS + protocol.ACKNOWLEDGEMENT_WORDS]
    if len(behind) < protocol.ACKNOWLEDGEMENT_WORDS:
        return bad('A header that announces an acknowledgement, and the packet ends')
    carried, meanings = describe_acknowledgement(behind)
    return Header('%s, %s' % (text, carried), words + meanings)


def describe_header(data, reliable):
    '''data: the data words of a packet. The same checks as pr_header_kind of the firmware.'''
    if len(data) < protocol.HEADER_WORDS:
        return bad('%s: a header has %d' % (count_of_words(len(data)), protocol.HEADER_WORDS))
    if not reliable or not data[protocol.HEADER_SOURCE] & KIND_BIT:
        return describe_data(data, reliable)
    source, rest = data[protocol.HEADER_SOURCE] & ~KIND_BIT, data[SOURCE_WORDS:]
    if len(rest) == protocol.ACKNOWLEDGEMENT_WORDS:
        text, meanings = describe_acknowledgement(rest)
        return Header('site %d %s' % (source, text), ['Source %d, acknowledgement' % source] + meanings)
    if len(rest) == protocol.CONTROL_WORDS and rest[protocol.CONTROL_TYPE] <= BYTE_MASK:
        return describe_control(source, rest)
    return bad('%s: neither an acknowledgement nor a control packet' % count_of_words(len(data)))
