"""--max-output-rate: a router above it is read more slowly than it sends, and
nobody else is. What is judged are bytes over time; nothing is lost."""

import time

import shapes
from bmp import Peer, initiation
from collecting import connect
from neighbour import EVIL, OtherRouter, check_delays, token

KB = 1 << 10
RATE = 256 * KB
LARGEST_UPDATE = 64 * KB


def output_bytes(c):
    answer = c.http.ask("GET", f"/api/v1/routers/{token(EVIL)}")
    return answer.json["outputBytes"] if answer.status == 200 else 0


def until_output(c, count, began, seconds):
    """Until so much was made. It was never more than the rate allows: a second
    of it in advance, a quarter of a second in a turn, and one update."""
    deadline = time.monotonic() + seconds
    while (made := output_bytes(c)) < count:
        allowed = RATE * (1.25 + time.monotonic() - began) + LARGEST_UPDATE
        assert made <= allowed, f"{made} bytes, {allowed:.0f} allowed"
        assert time.monotonic() < deadline, f"{made} bytes"
        time.sleep(0.05)
    return made


def test_a_router_that_is_read_slowly(start, tmp_path):
    conf = tmp_path / "arancini.conf"
    conf.write_text(f"[router {EVIL}]\nmax-output-rate = {RATE}\n")
    c = start("--config", conf, "--workers", "1")
    other = OtherRouter(c)
    other.until(lambda: len(other.seen) > 10)
    peer = Peer("10.0.0.1", 64500)
    update = peer.announce("10.99.0.0/24")
    with connect(c, EVIL) as sock:
        began = time.monotonic()
        # 4.7 MB of output: 18 s of it, in one message.
        sock.sendall(initiation(b"evil") + peer.up()
                     + shapes.ordinary_size(peer, 0) + update[:20])
        until_output(c, 4 * RATE, began, 60)
        assert time.monotonic() - began > 2.5
        metrics = c.http.metrics()
        assert 0 < metrics.sum("arancini_session_rate_pauses_total") < 100
        assert metrics.sum("arancini_session_rate_paused_seconds_total") > 1
        assert metrics.sum("arancini_routers_over_output_rate") == 1
        assert metrics.sum("arancini_session_pauses_total") == 0
        assert c.http.status()["totals"]["routersOverOutputRate"] == 1
        assert c.http.get(f"/api/v1/routers/{token(EVIL)}")["overOutputRate"]
        # Once, although it was paused often.
        assert len(c.said(f"event=output_rate_exceeded from={EVIL}:.* "
                          f"rate={RATE} hint=")) == 1
        check_delays(c, other.stop())
        # A reload lifts it: the rest is read at once.
        conf.write_text("")
        c.reload()
        others = min(256, len(other.seen))
        c.http.until(lambda s: s["totals"]["routes"] == 500 + others, 60)
        sock.sendall(update[20:])
        c.http.until(lambda s: s["totals"]["routes"] == 501 + others, 60)
    assert len(c.said("output_rate_exceeded")) == 1
    lines = c.published("--subject", f"arancini.updates.{token(EVIL)}.>")
    assert len(lines) == 501 and all(line["announced"] for line in lines)
    c.stop()


def test_it_holds_over_sessions(start):
    """Who comes again has used up what it used up."""
    c = start("--max-output-rate", "256k", "--stale-hold", "1h")
    peer = Peer("10.0.0.1", 64500)
    began = time.monotonic()
    for n in range(4):
        with connect(c, EVIL) as sock:
            # Some 230 KB: it can be made without a pause, once.
            sock.sendall(initiation(b"evil") + peer.up(port=n) + peer.monitor(
                shapes.update(shapes.set_path(340), shapes.prefixes(24), n)))
            until_output(c, (n + 1) * 220 * KB, began, 60)
    # A second of it was there in advance.
    assert time.monotonic() - began > (4 * 220 * KB - RATE) / RATE - 0.7
    assert c.http.metrics().sum("arancini_session_rate_pauses_total") > 0
    c.stop()


def test_a_pause_is_no_silence(start):
    """Deadlines stand still while it is not read."""
    c = start("--max-output-rate", "64k", "--idle-timeout", "1s")
    peer = Peer("10.0.0.1", 64500)
    with connect(c, EVIL) as sock:
        # One update of 140 KB: two seconds' worth.
        sock.sendall(initiation(b"evil") + peer.up() + peer.monitor(
            shapes.update(shapes.set_path(5000), shapes.prefixes(1))))
        c.until_said("session_close .*reason=idle_timeout")
    paused = c.http.metrics().sum("arancini_session_rate_paused_seconds_total")
    (lasted,) = c.said("session_close .*reason=idle_timeout lasted=([0-9.]+)")
    assert paused > 1
    assert float(lasted) >= paused + 1
    c.stop()
