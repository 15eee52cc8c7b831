"""python3 without_ipv6.py COMMAND...: run it where there is no IPv6, as after
ipv6.disable=1 at boot, and in a network of its own, so that default ports are
free. Exit status 77 if that is not allowed here."""

import ctypes
import os
import platform
import struct
import sys

SYS_SOCKET = {"x86_64": 41, "aarch64": 198}
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
NOT_HERE = 77


class Filter(ctypes.Structure):
    _fields_ = [("len", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


def forbid(libc, call):
    """socket(AF_INET6, ...) gives EAFNOSUPPORT."""
    code = b"".join(struct.pack("HBBI", *instruction) for instruction in (
        (0x20, 0, 0, 0), (0x15, 0, 3, call),    # the call, or allow
        (0x20, 0, 0, 16), (0x15, 0, 1, 10),     # AF_INET6, or allow
        (0x06, 0, 0, 0x00050000 | 97), (0x06, 0, 0, 0x7fff0000)))
    program = ctypes.create_string_buffer(code, len(code))
    whole = Filter(len(code) // 8, ctypes.addressof(program))
    return (libc.prctl(38, 1, 0, 0, 0) == 0 and     # PR_SET_NO_NEW_PRIVS
            libc.prctl(22, 2, ctypes.byref(whole), 0, 0) == 0)  # _SECCOMP


def main(argv):
    libc = ctypes.CDLL(None, use_errno=True)
    call = SYS_SOCKET.get(platform.machine())
    if call is None:
        return NOT_HERE
    if libc.unshare(CLONE_NEWNET) != 0 and \
            libc.unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0:
        return NOT_HERE
    if not forbid(libc, call):
        return NOT_HERE
    os.execv(argv[0], argv)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
