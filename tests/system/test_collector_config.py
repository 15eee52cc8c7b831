"""What the configuration says, and says anew while the collector runs: lists,
limits, filters, timers, by router too."""

import struct

import pytest

from bmp import Peer, initiation, update
from collecting import (closed_by_collector, connect, consumer_table,
                        router_of)

A = Peer("192.0.2.10", 64510)
B = Peer("2001:db8::11", 64511)
LOC_RIB = Peer("0.0.0.0", 64510, kind=3)
POST = 0x40


@pytest.fixture
def conf(tmp_path):
    path = tmp_path / "arancini.conf"

    def write(text):
        path.write_text(text)
        return ["--config", path]
    return write


def updates(c):
    return [line for line in c.published() if line["kind"] == "update"]


def prefixes(lines):
    return sorted({(line["peerAddr"], bool(line.get("isPostPolicy")),
                    line["prefixAddr"]) for line in lines})


def session(c, source="127.0.0.2"):
    sock = connect(c, source)
    sock.sendall(initiation(source.encode()))
    c.until_said(f"session_open from={source}")
    return sock


def end(c, sock, count=1):
    sock.close()
    c.until_said("event=session_close", count)


def test_filters_choose_peers_views_and_families(collector, conf):
    c = collector(*conf(
        "[curation]\nfilter = drop peer=192.0.2.10 view=post\n"
        "filter = drop family=ipv6-unicast as=64511\n"
        "filter = store peer=2001:db8::11 view=post\n"))
    sock = session(c)
    sock.sendall(A.up() + B.up()
                 + A.announce("198.51.100.0/24", "203.0.113.0/24")
                 + A.announce("198.51.100.0/24", flags=POST)
                 + A.announce("2001:db8:1::/48")
                 + B.announce("198.51.100.0/24")
                 + B.announce("203.0.113.0/24", flags=POST)
                 + B.announce("2001:db8:2::/48")
                 + A.end_of_rib() + A.end_of_rib(flags=POST))
    end(c, sock)
    c.stop()
    assert not c.said("not_heeded .*filter")
    assert prefixes(updates(c)) == [
        ("192.0.2.10", False, "198.51.100.0"),
        ("192.0.2.10", False, "2001:db8:1::"),
        ("192.0.2.10", False, "203.0.113.0"),
        ("2001:db8::11", False, "198.51.100.0")]
    ends = [line for line in c.published() if line["kind"] == "endOfRib"]
    assert [bool(line.get("isPostPolicy")) for line in ends] == [False]


def test_a_router_has_rules_and_limits_of_its_own(collector, conf):
    c = collector(*conf(
        "[limits]\nmax-routes-per-peer = 2\n"
        "[curation]\nfilter = drop view=post\n"
        "[router 127.0.0.3]\nmax-routes-per-peer = 4\n"
        "filter = publish view=post as=64510\n"
        "[router 127.0.0.4]\nmax-routes-per-router = 1\n"))
    many = [f"10.0.{n}.0/24" for n in range(6)]
    for count, source in enumerate(("127.0.0.2", "127.0.0.3", "127.0.0.4"),
                                   1):
        sock = session(c, source)
        sock.sendall(A.up() + A.announce(*many)
                     + A.announce("203.0.113.0/24", flags=POST))
        end(c, sock, count)
    c.stop()
    got = {}
    for line in updates(c):
        got.setdefault(line["routerAddr"], []).append(line["prefixAddr"])
    assert {k: len(v) for k, v in got.items()} == {
        "127.0.0.2": 2, "127.0.0.3": 4, "127.0.0.4": 1}
    limits = [line for line in c.published() if line["kind"] == "limit"]
    assert len(limits) == 3


def test_routes_in_all_are_those_of_all_workers(collector):
    c = collector("--workers", "2", "--max-routes", "1000")
    nets = [f"10.{n >> 8}.{n & 255}.0/24" for n in range(1200)]
    one = session(c)
    one.sendall(A.up() + b"".join(map(A.announce, nets)))
    c.server.wait_until(lambda _: "limit" in kinds(c), 60)
    # What one gives up another may have, on whichever worker.
    one.sendall(b"".join(map(A.withdraw, nets[:500])))
    c.server.wait_until(lambda _: len(updates(c)) == 1500, 60)
    others = [session(c, f"127.0.0.{n}") for n in range(3, 9)]
    for sock in others:
        sock.sendall(A.up() + A.announce(*nets[:70]))
        end(c, sock, others.index(sock) + 1)
    end(c, one, len(others) + 1)
    c.stop()
    limit = [line for line in c.published() if line["kind"] == "limit"]
    assert [line["routes"] for line in limit] == [1000]
    assert len(updates(c)) == 1500 + 6 * 70


def kinds(c):
    return {line["kind"] for line in c.published()}


def test_bmp_v4_of_one_router(collector, conf):
    c = collector(*conf("[router 127.0.0.3]\nbmp-v4 = tlv20\n"))
    v4 = b"\x04" + initiation(b"four")[1:]
    for source in ("127.0.0.2", "127.0.0.3"):
        with connect(c, source) as sock:
            sock.sendall(v4)
        c.until_said(f"session_close from={source}")
    c.stop()
    assert c.said("session_open from=(.*):.* sysname=four") == ["127.0.0.3"]


def table_of(c, router, **view):
    """Routes as a consumer ends with them; without a view, of Adj-RIB-In
    before policy."""
    found = set()
    for line in updates(c):
        if router_of(line) != router or any(
                bool(line.get(key)) != view.get(key, False)
                for key in ("isLocRib", "isPostPolicy")):
            continue
        route = line["prefixAddr"], line["prefixLen"], line.get("pathId")
        (found.add if line["announced"] else found.discard)(route)
    return found


def suspects(c):
    return [router_of(line) for line in c.published()
            if line["kind"] == "suspect"]


def test_path_identifiers_that_no_open_announced(collector, conf):
    c = collector(*conf("[router 127.0.0.3]\nadd-path = ipv4-unicast\n"
                        "[router 127.0.0.4]\nno-add-path = ipv4-unicast\n"))
    sources = "127.0.0.2", "127.0.0.3", "127.0.0.4"
    for count, source in enumerate(sources, 1):
        sock = session(c, source)
        # The Loc-RIB without a Peer Up, as GoBGP sends it.
        sock.sendall(A.up() + b"".join(
            peer.announce("10.0.0.0/8", path_id=n)
            for peer in (A, LOC_RIB) for n in (0, 7)))
        end(c, sock, count)
    c.stop()
    for local in (False, True):
        # An identifier of zero is four default routes; one of 7 shows that
        # they were none.
        for router in ("v4_127_0_0_2", "v4_127_0_0_3"):
            assert table_of(c, router, isLocRib=local) == {
                ("10.0.0.0", 8, 0), ("10.0.0.0", 8, 7)}, router
        assert table_of(c, "v4_127_0_0_4", isLocRib=local) == {
            ("0.0.0.0", 0, None), ("10.0.0.0", 8, None)}
    assert suspects(c) == ["v4_127_0_0_4"] * 2
    assert not c.said("event=add_path_differs from=127.0.0.[34]")


def test_path_identifiers_that_are_not_there(collector, conf):
    """For a router whose OPENs speak of some, and that sends none: it is seen
    from its messages, or said by an operator, for all views or for one."""
    c = collector(*conf("[router 127.0.0.3]\nno-add-path = all\n"
                        "[router 127.0.0.4]\n"
                        "no-add-path = in-post:ipv4-unicast\n"
                        "[router 127.0.0.5]\nadd-path = all\n"))
    want = {("10.0.0.0", 8, None), ("10.1.2.0", 24, None),
            ("10.1.3.0", 24, None)}
    sources = [f"127.0.0.{n}" for n in range(2, 6)]
    for count, source in enumerate(sources, 1):
        sock = session(c, source)
        pair = "10.1.2.0/24", "10.1.3.0/24"
        sock.sendall(A.up(add_path=True) + A.announce(*pair)
                     + A.announce("10.0.0.0/8")
                     + A.announce(*pair, flags=POST)
                     # Neither form, twice.
                     + 2 * A.monitor(update(b"", b"", b"\xc6\x33")))
        end(c, sock, count)
    c.stop()
    for router in ("v4_127_0_0_2", "v4_127_0_0_3", "v4_127_0_0_4"):
        assert table_of(c, router) == want, router
    misread = {("10.1.3.0", 24, 0x180a0102)}
    post = {n: table_of(c, f"v4_127_0_0_{n}", isPostPolicy=True)
            for n in range(2, 6)}
    assert post == {2: misread, 3: want - {("10.0.0.0", 8, None)},
                    4: want - {("10.0.0.0", 8, None)}, 5: misread}
    assert table_of(c, "v4_127_0_0_5") == misread
    # One line for a peer and cause, whose action can be taken as it is.
    assert len(c.said("event=peer_unreadable")) == 4
    assert c.said("event=peer_unreadable from=127.0.0.2:.* peer=192.0.2.10 "
                  "as=64510 view=in-pre family=ipv4-unicast fault=nlri "
                  "action=.*no-add-path")
    assert len(c.said("event=add_path_differs")) == 2
    assert c.said("event=add_path_differs from=127.0.0.2:.* path_ids=false "
                  "withdrawn=1 action=.*no-add-path = in-pre:ipv4-unicast")
    # Workers publish them in any order.
    assert sorted(suspects(c)) == [f"v4_127_0_0_{n}" for n in range(2, 6)]


def test_as_width_of_one_router(collector, conf):
    c = collector(*conf("[router 127.0.0.3]\nas-width = 2\n"))
    # Two segments, whether a number has two bytes or four; A is not set.
    path = struct.pack(">BBHBBHHH", 2, 1, 64500, 2, 3, 0x0201, 64501, 64502)
    for count, source in enumerate(("127.0.0.2", "127.0.0.3"), 1):
        sock = session(c, source)
        sock.sendall(A.up() + A.announce("10.0.0.0/8", as_path=path))
        end(c, sock, count)
    c.stop()
    assert {router_of(line): line["asPath"] for line in updates(c)} == {
        "v4_127_0_0_2": [64500 << 16 | 0x0203, 64501 << 16 | 64502],
        "v4_127_0_0_3": [64500, 0x0201, 64501, 64502]}


def test_how_a_router_is_read_changes_with_its_next_session(collector, conf):
    c = collector(*conf(""))
    sock = session(c)
    sock.sendall(A.up() + A.announce("10.0.0.0/8", path_id=0))
    wait_for(c, lambda lines: len(consumer_table(lines)) == 2)
    conf("[router 127.0.0.2]\nadd-path = all\nas-width = 4\n")
    c.reload()
    assert set(c.said("event=option_changed option=(.*)")) == {
        '"[router 127.0.0.2] add-path"', '"[router 127.0.0.2] as-width"'}
    sock.sendall(A.announce("11.0.0.0/8", path_id=0))
    wait_for(c, lambda lines: len(consumer_table(lines)) == 3)
    end(c, sock)
    sock = session(c)
    sock.sendall(A.up() + A.announce("10.0.0.0/8", path_id=0)
                 + A.end_of_rib())
    # What was misread goes with the rest that is not told again.
    wait_for(c, lambda lines: [key[8:12] for key in consumer_table(lines)]
             == [(0, None, "10.0.0.0", 8)])
    end(c, sock, 2)
    c.stop()


def test_reload_changes_filters_of_a_session(collector, conf):
    options = conf("")
    c = collector(*options)
    sock = session(c)
    sock.sendall(A.up() + B.up()
                 + A.announce("198.51.100.0/24", "203.0.113.0/24")
                 + A.announce("198.51.100.0/24", flags=POST)
                 + B.announce("198.51.100.0/24"))
    wait_for(c, lambda lines: len(consumer_table(lines)) == 4)
    conf("[curation]\nfilter = drop peer=192.0.2.10 view=pre\n"
         "filter = store peer=2001:db8::11\n")
    c.reload()
    wait_for(c, lambda lines: len(consumer_table(lines)) == 1)
    sock.sendall(A.announce("198.51.100.0/24", med=7)
                 + B.announce("203.0.113.0/24")
                 + A.announce("203.0.113.0/24", flags=POST))
    wait_for(c, lambda lines: len(consumer_table(lines)) == 2)
    conf("")
    c.reload(2)
    # B was kept; of A's first view only what it says from now on.
    wait_for(c, lambda lines: len(consumer_table(lines)) == 4)
    sock.sendall(A.announce("198.51.100.0/24", med=9))
    wait_for(c, lambda lines: len(consumer_table(lines)) == 5)
    end(c, sock)
    c.stop()
    lines = updates(c)
    assert {line["reason"] for line in lines if line.get("synthetic")} == {
        "admin"}
    unknown = [line for line in c.published() if line["kind"] == "unknown"]
    assert len(unknown) == 1


def wait_for(c, condition):
    c.server.wait_until(lambda _: condition(c.published()), 60)


def test_reload_changes_lists_and_limits(collector, conf):
    options = conf("[limits]\nmax-sessions-per-ip = 4\n")
    c = collector(*options, "--workers", "2")
    keep, lose = session(c, "127.0.0.2"), session(c, "127.0.0.3")
    conf("[access]\ndeny = 127.0.0.3/32\n[limits]\nmax-sessions-per-ip = 1\n"
         "[log]\nlevel = debug\n")
    c.reload()
    assert closed_by_collector(lose)
    c.until_said("session_close from=127.0.0.3.*reason=denied")
    with connect(c, "127.0.0.3") as sock:
        assert closed_by_collector(sock)
    with connect(c, "127.0.0.2") as sock:
        assert closed_by_collector(sock)
    c.until_said("from=127.0.0.2:.* reason=max_sessions_per_ip")
    keep.sendall(initiation(b"still here"))
    assert set(c.said("event=option_changed option=(.*)")) == {
        "--deny", "--max-sessions-per-ip", "--log-level"}
    end(c, keep, 2)
    c.stop()


def test_reload_shortens_the_time_of_a_silent_session(collector, conf):
    c = collector(*conf(""))
    idle = session(c)
    silent = connect(c, "127.0.0.3")
    conf("[limits]\nidle-timeout = 1s\nhandshake-timeout = 1s\n")
    c.reload()
    assert closed_by_collector(idle)
    assert closed_by_collector(silent)
    c.until_said("from=127.0.0.2.*reason=idle_timeout")
    c.until_said("from=127.0.0.3.*reason=handshake_timeout")
    c.stop()


def test_reload_names_what_needs_a_restart(collector, conf):
    c = collector(*conf("[listen]\nbacklog = 100\n"))
    conf("[listen]\nbacklog = 200\n[identity]\nrouter-id = sysname\n"
         "[router 127.0.0.3]\nalias = core1\nmax-routes-per-peer = 7\n")
    c.reload()
    assert set(c.said("option_needs_restart option=(.*)")) == {
        "--backlog", "--router-id", '"[router 127.0.0.3] alias"'}
    assert c.said("event=reloaded changed=1 need_restart=3")
    end(c, session(c))
    c.stop()
    assert not c.said("session_open .*router=")


def test_a_bad_file_changes_nothing(collector, conf):
    c = collector(*conf("[access]\ndeny = 127.0.0.3/32\n"))
    conf("[access]\nallow = 127.0.0.2/32\n[limits]\nmax-sessions = many\n")
    c.reload()
    assert c.said(r"reload_failed why=.*arancini.conf:4:.*max-sessions")
    with connect(c, "127.0.0.3") as sock:
        assert closed_by_collector(sock)
    end(c, session(c, "127.0.0.4"))
    conf("")
    c.reload(2)
    end(c, session(c, "127.0.0.3"), 2)
    c.stop()


def test_reload_under_load(collector, conf):
    c = collector(*conf(""), "--workers", "2")
    load = c.start_sending("generate", "--routers", "40", "--spread-sources",
                           "--peers", "2", "--prefixes", "500", "--churn",
                           "max", "--churn-count", "100k", "--seed", "3")
    texts = ["[curation]\nfilter = store as=1-40000000\n", "",
             "[curation]\nfilter = drop family=ipv6-unicast\n",
             "[limits]\nmax-routes-per-peer = 100\n",
             "[limits]\nmax-sessions = 1000\n[router 127.1.0.3]\n"
             "filter = drop view=pre\n"]
    for n in range(25):
        conf(texts[n % len(texts)])
        c.reload(n + 1)
    assert load.wait(120) == 0
    c.until_said("event=session_close", 40)
    c.stop()
    assert not c.said("reload_failed")
