"""A reader of the journal, written from docs/journal-format.md alone."""

import ctypes
import ctypes.util
import struct

HEADER = struct.Struct("<8sIIQQQQQQ")
RECORD = struct.Struct("<QIIHBBIQQQQQ")
ENCODINGS = {0: None, 1: "packed", 2: "zstd"}

xxhash = ctypes.CDLL(ctypes.util.find_library("xxhash"))
xxhash.XXH3_64bits.restype = ctypes.c_uint64
xxhash.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]


def checksum(data):
    return xxhash.XXH3_64bits(data, len(data))


class Record:
    def __init__(self, position, subject, encoding, payload, message_id):
        self.position = position
        self.subject = subject
        self.encoding = encoding
        self.payload = payload
        self.message_id = message_id


def segment_records(data, skip=0):
    """The whole records of a segment from byte @skip on; stops at the first
    that is not whole."""
    if len(data) < HEADER.size:
        return
    magic, version, size, base, _, _, _, _, head_sum = HEADER.unpack_from(
        data)
    if magic != b"ARAJRNL1" or version not in (1, 2) or \
            checksum(data[:HEADER.size - 8]) != head_sum:
        return
    at = max(skip, size)
    while at + RECORD.size <= len(data):
        (total, size, length, subject_length, _, encoding, _, _, epoch, seq, _,
         _) = RECORD.unpack_from(data, at)
        if size < RECORD.size or size % 8 or at + size > len(data) or \
                checksum(data[at + 8:at + size]) != total:
            return
        start = at + RECORD.size
        subject = data[start:start + subject_length].decode()
        start += subject_length
        yield Record(base + at, subject, ENCODINGS[encoding],
                     data[start:start + length], f"{epoch}.{seq}")
        at += size
        # The next one's place, for who reads on later.
        yield base + at


def headers(folder):
    """Of the segments whose header is whole: (base, journal, previous)."""
    for path in sorted(folder.glob("*.seg")):
        try:
            with open(path, "rb") as file:
                head = file.read(HEADER.size)
        except FileNotFoundError:
            continue    # deleted meanwhile
        if len(head) == HEADER.size and \
                checksum(head[:-8]) == HEADER.unpack(head)[-1]:
            _, version, _, base, _, journal, previous, _, _ = \
                HEADER.unpack(head)
            yield base, journal, base if version == 1 else previous


def read_journal(folder, position=0):
    """Records from @position on, and behind each the position of the next."""
    segments = sorted(folder.glob("*.seg"))
    for number, path in enumerate(segments):
        base = int(path.stem)
        if number + 1 < len(segments) and \
                int(segments[number + 1].stem) <= position:
            continue
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            continue    # deleted meanwhile: all of it was read by others
        yield from segment_records(data, max(position - base, 0))
