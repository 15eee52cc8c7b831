"""The bytes of a journal's segments, after docs/journal-format.md."""

import ctypes
import struct

HEADER = 64
library = ctypes.CDLL("libxxhash.so.0")
library.XXH3_64bits.restype = ctypes.c_uint64
library.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]


def checksum(data):
    return library.XXH3_64bits(bytes(data), len(data))


def segments(folder):
    return sorted(folder.glob("*.seg"))


def newest(folder):
    return segments(folder)[-1]


def records(data):
    """Offset and size of each record."""
    at = HEADER
    while at + HEADER <= len(data):
        (size,) = struct.unpack_from("<I", data, at + 8)
        if size < HEADER or at + size > len(data):
            return
        yield at, size
        at += size


def flip(path, offset):
    """In place: whoever has the file open sees it."""
    with open(path, "r+b") as file:
        file.seek(offset)
        byte = file.read(1)[0]
        file.seek(offset)
        file.write(bytes([byte ^ 1]))


def set_version(path, version):
    data = bytearray(path.read_bytes())
    struct.pack_into("<I", data, 8, version)
    struct.pack_into("<Q", data, 56, checksum(data[:56]))
    path.write_bytes(data)


def shift_times(path, seconds):
    """As if the clock of the writer had been so far ahead."""
    data = bytearray(path.read_bytes())
    for at, size in records(data):
        (time,) = struct.unpack_from("<Q", data, at + 24)
        struct.pack_into("<Q", data, at + 24, time + seconds * 10**9)
        struct.pack_into("<Q", data, at, checksum(data[at + 8:at + size]))
    path.write_bytes(data)
