"""Sockets of another process, to read their options back: pidfd_getfd(2)."""

import contextlib
import ctypes
import os
import socket
import struct

PIDFD_GETFD = 438
SO_ATTACH_FILTER = 26
libc = ctypes.CDLL(None, use_errno=True)


def sockets(pid):
    """Copies of all TCP sockets of a process. Close them."""
    pidfd = os.pidfd_open(pid)
    found = []
    try:
        for name in os.listdir(f"/proc/{pid}/fd"):
            try:
                link = os.readlink(f"/proc/{pid}/fd/{name}")
            except FileNotFoundError:
                continue
            if not link.startswith("socket:"):
                continue
            fd = libc.syscall(PIDFD_GETFD, pidfd, int(name), 0)
            if fd < 0:
                continue
            sock = socket.socket(fileno=fd)
            if sock.family in (socket.AF_INET, socket.AF_INET6) \
                    and sock.type == socket.SOCK_STREAM:
                found.append(sock)
            else:
                sock.close()
    finally:
        os.close(pidfd)
    return found


def peer(sock):
    """Who is at the other end; None of a listener."""
    try:
        return sock.getpeername()
    except OSError:
        return None


def tcp(sock, name):
    return sock.getsockopt(socket.IPPROTO_TCP, getattr(socket, name))


@contextlib.contextmanager
def other_end(pid, sock):
    """The socket that a process has of a connection of ours."""
    found = sockets(pid)
    try:
        (one,) = [s for s in found if peer(s) == sock.getsockname()]
        yield one
    finally:
        for s in found:
            s.close()


def make_deaf(sock):
    """Let a socket hear nothing any more, as if its host had gone: the filter
    is one instruction, which takes no byte of any segment."""
    drop = ctypes.create_string_buffer(struct.pack("HBBI", 0x06, 0, 0, 0))
    sock.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER,
                    struct.pack("HxxxxxxP", 1, ctypes.addressof(drop)))
