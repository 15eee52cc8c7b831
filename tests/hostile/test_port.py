"""Two collectors at one port would share its routers through SO_REUSEPORT:
the second one is refused, and says who has the port."""

import re
import socket

from bmp import initiation
from collecting import connect
from watching import WatchedCollector


def test_a_second_collector_is_refused(server, arancini, tmp_path):
    c = WatchedCollector(server, arancini, tmp_path / "first",
                         "--workers", "2")
    for n, listen in enumerate(["127.0.0.1", "0.0.0.0"]):
        run = server([arancini, "run", "--listen", f"{listen}:{c.port}",
                      "--state", tmp_path / f"second{n}", "--http", "off",
                      "--workers", "2"])
        assert run.wait(timeout=60) == 1, run.output
        assert re.search(fr"event=cannot_listen at={listen}:{c.port} .*in use.*"
                         fr" pid={c.server.pid} process=arancini ",
                         run.output), run.output
        # Before anything was made.
        assert not (tmp_path / f"second{n}").exists()
    # The first one has lost nobody, and both of its workers take some.
    socks = [connect(c, f"127.2.0.{n}") for n in range(1, 33)]
    for sock in socks:
        sock.sendall(initiation())
    c.until_said("event=session_open", len(socks))
    took = c.http.metrics().by("arancini_connections_accepted_total", "worker")
    assert set(took) == {"0", "1"} and sum(took.values()) == len(socks)
    for sock in socks:
        sock.close()
    c.stop()
    # And when it has gone the port is free, with connections in TIME_WAIT.
    again = server([arancini, "run", "--listen", f"127.0.0.1:{c.port}",
                    "--state", tmp_path / "first", "--http", "off"],
                   ready="event=started", timeout=60)
    assert again.stop(timeout=60) == 0


def test_a_wildcard_and_one_of_its_addresses(server, arancini, tmp_path,
                                             free_port):
    """Both are ours: that was never a conflict."""
    port = free_port()
    run = server([arancini, "run", "--listen",
                  f"127.0.0.1:{port},0.0.0.0:{port}", "--state", tmp_path,
                  "--http", "off", "--workers", "2"], ready="event=started",
                 timeout=60)
    socket.create_connection(("127.0.0.1", port)).close()
    assert run.stop(timeout=60) == 0
