"""The runtime alone is installed into a prefix, and the programs of
examples/programs are built from there as other projects would do it: C and
C++, by pkg-config, by CMake and as one file. Each runs on both back ends."""

import concurrent.futures
import json
import os
import re
import select
import shlex
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
import zlib

import pytest

PROGRAMS = ["chat", "static_server", "hasher", "pipeline", "embed_epoll",
            "udp_counter"]
BUILDS = ["pkg-config-c", "pkg-config-c++", "cmake-c", "cmake-c++",
          "one-file-c", "one-file-c++"]
C = ["cc", "-std=c11", "-D_GNU_SOURCE"]
CXX = ["c++", "-std=c++11", "-x", "c++"]
FLAGS = ["-O1", "-Wall", "-Wextra", "-Werror"]


def sh(*argv, **kwargs):
    done = subprocess.run([str(a) for a in argv], timeout=300, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **kwargs)
    assert done.returncode == 0, done.stdout
    return done.stdout


def all_at_once(commands):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda command: sh(*command), commands))


@pytest.fixture(scope="module")
def prefix(tree, tmp_path_factory):
    """What "make install-spargio" installs, built in a folder of its own."""
    folder = tmp_path_factory.mktemp("adoption")
    env = {k: v for k, v in os.environ.items()
           if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "DESTDIR")}
    sh("make", "install-spargio", "DEPS=no", f"SPARGIO={folder / 'build'}",
       f"PREFIX={folder / 'prefix'}", cwd=tree, env=env)
    built = {p.name for p in (folder / "build").rglob("*.o")}
    assert built and not any("bmp_" in name or "rib_" in name
                             for name in built)
    return folder / "prefix"


@pytest.fixture(scope="module")
def libdir(prefix):
    (pc,) = prefix.rglob("spargio.pc")
    return pc.parent.parent


@pytest.fixture(scope="module")
def sources(tree):
    folder = tree / "examples/programs"
    assert sorted(p.stem for p in folder.glob("*.c")) == sorted(PROGRAMS)
    return folder


def build_by_pkg_config(libdir, sources, to):
    env = {**os.environ, "PKG_CONFIG_LIBDIR": str(libdir / "pkgconfig")}
    cflags, libs = (shlex.split(sh("pkg-config", f"--{what}", "spargio",
                                   env=env)) for what in ("cflags", "libs"))
    for folder, compiler in (("pkg-config-c", C), ("pkg-config-c++", CXX)):
        (to / folder).mkdir()
        all_at_once([[*compiler, *FLAGS, *cflags, sources / f"{name}.c",
                      "-x", "none", *libs, "-o", to / folder / name]
                     for name in PROGRAMS])


def build_by_cmake(prefix, sources, to):
    sh("cmake", "-S", sources, "-B", to / "cmake",
       f"-DCMAKE_PREFIX_PATH={prefix}")
    sh("cmake", "--build", to / "cmake", "--parallel", "2")
    for name in PROGRAMS:
        for folder, suffix in (("cmake-c", ""), ("cmake-c++", "_cxx")):
            (to / folder).mkdir(exist_ok=True)
            (to / "cmake" / f"{name}{suffix}").rename(to / folder / name)


def build_of_one_file(tree, sources, to):
    where = to / "amalgamation"
    sh(tree / "tools/amalgamate.sh", where)
    sh(*C, "-O1", "-c", where / "spargio.c", "-o", where / "spargio.o")
    for name in PROGRAMS:
        text = (sources / f"{name}.c").read_text()
        (where / f"{name}.c").write_text(
            text.replace("<spargio/spargio.h>", '"spargio.h"'))
    for folder, compiler in (("one-file-c", C), ("one-file-c++", CXX)):
        (to / folder).mkdir()
        all_at_once([[*compiler, *FLAGS, where / f"{name}.c", "-x", "none",
                      where / "spargio.o", "-pthread", "-o",
                      to / folder / name] for name in PROGRAMS])


@pytest.fixture(scope="module")
def programs(tree, prefix, libdir, sources, tmp_path_factory):
    """The folder with a folder of programs for each way to build."""
    if shutil.which("cmake") is None:
        pytest.skip("no cmake")
    to = tmp_path_factory.mktemp("programs")
    build_by_pkg_config(libdir, sources, to)
    build_by_cmake(prefix, sources, to)
    build_of_one_file(tree, sources, to)
    return to


class Program:
    """A program that serves until SIGTERM."""

    def __init__(self, argv, env):
        self.process = subprocess.Popen(
            [str(a) for a in argv], env=env, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        ready, _, _ = select.select([self.process.stdout], [], [], 30)
        line = self.process.stdout.readline() if ready else ""
        found = re.fullmatch(r"listening on 127\.0\.0\.1:(\d+)\n", line)
        if not found:
            self.process.kill()
            self.process.wait()
        assert found, line
        self.at = ("127.0.0.1", int(found[1]))

    def connect(self):
        return socket.create_connection(self.at, timeout=30)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.send_signal(signal.SIGTERM)
        try:
            assert self.process.wait(30) == 0
        finally:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()


@pytest.fixture(params=BUILDS)
def build(request, programs):
    return programs / request.param


@pytest.fixture(params=["uring", "epoll"])
def env(request, libdir):
    """Of a program: on a back end, with the shared library that is there."""
    if request.param == "uring" and not has_uring():
        pytest.skip("no io_uring here")
    return {**os.environ, "SP_BACKEND": request.param,
            "LD_LIBRARY_PATH": str(libdir)}


def has_uring():
    path = "/proc/sys/kernel/io_uring_disabled"
    try:
        with open(path, encoding="ascii") as text:
            return text.read().strip() != "2"
    except FileNotFoundError:
        return True


def lines_of(connection):
    return connection.makefile("r", encoding="ascii", newline="\n")


def test_chat(build, env):
    with Program([build / "chat", "127.0.0.1:0"], env) as chat:
        with chat.connect() as a, chat.connect() as b, chat.connect() as c:
            # Who has entered hears what another one says until it does.
            for speaker, listener in ((a, b), (b, c), (c, a)):
                deadline = time.monotonic() + 30
                while not select.select([listener], [], [], 0.02)[0]:
                    assert time.monotonic() < deadline
                    speaker.sendall(b"anybody?\n")
            a.sendall(b"hello from a\n")
            for other in (b, c):
                assert any(line == "hello from a\n"
                           for line in lines_of(other))
            # A line that is too long ends its session and no other.
            c.sendall(b"x" * 5000)
            while True:
                try:
                    if not c.recv(4096):
                        break
                except ConnectionResetError:
                    break
            b.sendall(b"still here\n")
            heard = lines_of(a)
            assert any(line == "still here\n" for line in heard)


def test_static_server(build, env, tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    big = os.urandom(300_000)
    (folder / "big").write_bytes(big)
    (folder / "index.html").write_text("front page")
    (tmp_path / "secret").write_text("not for you")
    with Program([build / "static_server", "127.0.0.1:0", folder],
                 env) as server:
        url = f"http://127.0.0.1:{server.at[1]}"
        fetch = urllib.request.build_opener(
            urllib.request.ProxyHandler({})).open
        assert fetch(f"{url}/big", timeout=30).read() == big
        assert fetch(f"{url}/", timeout=30).read() == b"front page"
        for path in ("nothing", "../secret"):
            with pytest.raises(urllib.error.HTTPError) as refused:
                fetch(f"{url}/{path}", timeout=30)
            assert refused.value.code == 404
            refused.value.close()
        with server.connect() as connection:
            connection.sendall(b"PUT /big HTTP/1.0\r\n\r\n")
            assert b" 400 " in connection.recv(4096)


def test_hasher(build, env, tmp_path):
    want = {}
    for i in range(100):
        path = tmp_path / f"{i % 7}" / f"{i}"
        path.parent.mkdir(exist_ok=True)
        data = os.urandom(i * 1500)
        path.write_bytes(data)
        want[str(path)] = f"{zlib.crc32(data):08x}"
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "link").symlink_to("0/0")
    wrong = subprocess.run([str(build / "hasher")], timeout=60, text=True,
                           env=env, capture_output=True)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr == "hasher FOLDER\n"
    printed = sh(build / "hasher", tmp_path, env=env).splitlines()
    assert {path: crc for crc, path in (line.split(" ", 1)
                                        for line in printed)} == want


def test_pipeline(build, env):
    jobs = ["sum 1000", "wait 1", "wait 60000", "nonsense",
            "sum 1000000000000"]
    done = subprocess.run([str(build / "pipeline")], timeout=60, text=True,
                          input="\n".join(jobs) + "\n", env=env,
                          stdout=subprocess.PIPE)
    assert done.returncode == 0
    assert sorted(line for line in done.stdout.splitlines()
                  if line != "idle") == [
        "1: 500500", "2: waited", "3: late", "4: error 22", "5: late"]


def test_pipeline_says_when_it_is_idle(build, env):
    with subprocess.Popen([str(build / "pipeline")], text=True, env=env,
                          stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as program:
        assert program.stdout.readline() == "idle\n"
        said = program.communicate("sum 10", timeout=60)[0]
        assert "1: 55\n" in said
    assert program.returncode == 0


def test_embed_epoll(build, env):
    with Program([build / "embed_epoll", "127.0.0.1:0"], env) as loop:
        with loop.connect() as slow, loop.connect() as gone:
            slow.sendall(b"60000\n")
            gone.sendall(b"60000\n")
            gone.close()
            fast = [loop.connect() for _ in range(20)]
            for connection in fast:
                connection.sendall(b"1")
                connection.sendall(b"0\n")
            for connection in fast:
                with connection:
                    assert lines_of(connection).read() == "done\n"
            assert select.select([slow], [], [], 0)[0] == []


def test_udp_counter(build, env):
    with Program([build / "udp_counter", "127.0.0.1:0"], env) as service, \
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.settimeout(30)

        def ask(request):
            client.sendto(request, service.at)
            return client.recv(4096)

        assert ask(b"get hits") == b"hits 0"
        assert ask(b"add hits 41") == b"hits 41"
        assert ask(b"add hits 1") == b"hits 42"
        assert ask(b"add hits") == b"error request"
        assert ask(b"x" * 2000) == b"error request"
        for i in range(255):
            assert ask(f"add n{i} 1".encode()) == f"n{i} 1".encode()
        assert ask(b"add one-more 1") == b"error full"
        assert ask(b"get hits") == b"hits 42"


# What is installed


def shared_library(libdir):
    return libdir / "libspargio.so"


def test_the_library_exports_what_the_headers_declare(prefix, libdir):
    symbols = {line.split()[-1].partition("@")[0]
               for line in sh("nm", "-D", "--defined-only",
                              shared_library(libdir)).splitlines()}
    assert len(symbols) > 200
    headers = "".join(p.read_text()
                      for p in (prefix / "include/spargio").iterdir())
    assert sorted(s for s in symbols
                  if not re.search(rf"\b{s}\(", headers)) == []
    # The other way round, for those that are not defined in a header.
    declared = set(re.findall(r"^(?!static)[a-z][\w ]*[ *](sp_[a-z]\w*)\(",
                              headers, re.M))
    assert len(declared) > 200
    assert sorted(declared - symbols) == []


def test_the_library_is_named_after_its_interface(libdir, programs):
    version = re.search(r"^Version: (\d+)\.(\d+)\.",
                        (libdir / "pkgconfig/spargio.pc").read_text(), re.M)
    name = f"libspargio.so.{version[1]}.{version[2]}"
    assert f"[{name}]" in sh("readelf", "-d", shared_library(libdir))
    for build in ("pkg-config-c", "pkg-config-c++", "cmake-c"):
        assert name in sh("readelf", "-d", programs / build / "chat")
    for build in ("cmake-c++", "one-file-c"):
        assert "libspargio" not in sh("readelf", "-d",
                                      programs / build / "chat")
    assert "liburing" not in sh("readelf", "-d", shared_library(libdir))


VERSION_PROGRAM = r"""
#include <spargio/spargio.h>
#include <stdio.h>
#include <string.h>

#if SP_VERSION_NUMBER < SP_VERSION_MAKE(0, 1, 0)
#error
#endif

int main(void)
{
	printf("%s %s %d.%d.%d\n", SP_VERSION, sp_version(), SP_VERSION_MAJOR,
	       SP_VERSION_MINOR, SP_VERSION_PATCH);
	return 0;
}
"""


def test_versions_agree(arancini, prefix, libdir, tmp_path):
    version = sh(arancini, "--version").split()[1]
    (tmp_path / "version.c").write_text(VERSION_PROGRAM)
    sh(*C, *FLAGS, f"-I{prefix / 'include'}", tmp_path / "version.c",
       libdir / "libspargio.a", "-pthread", "-o", tmp_path / "version")
    assert sh(tmp_path / "version") == f"{version} {version} {version}\n"


@pytest.mark.parametrize("wanted, found", [
    ("", True), ("0.1", True), ("0.1.0 EXACT", True), ("0.2", False),
    ("1.0", False), ("0.0.9", False), ("0.1.999", False)])
def test_cmake_finds_the_versions_that_fit(prefix, tmp_path, wanted, found):
    if shutil.which("cmake") is None:
        pytest.skip("no cmake")
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(version C)\n"
        f"find_package(spargio {wanted} CONFIG)\n"
        'message(STATUS "found: ${spargio_FOUND}")\n')
    said = sh("cmake", "-S", tmp_path, "-B", tmp_path / "build",
              f"-DCMAKE_PREFIX_PATH={prefix}")
    assert f"found: {1 if found else 0}\n" in said


def test_the_library_is_not_made_for_lto(prefix):
    """Inlined into a function that waits, the thread-local of current.c would
    be read once."""
    entries = json.loads(
        (prefix.parent / "build/compile_commands.json").read_text())
    commands = [entry["command"] for entry in entries
                if entry["file"].endswith("src/spargio/sched/current.c")]
    assert commands
    assert all("-fno-lto" in command for command in commands)
