"""Routers and peers: sorted, filtered, looked at one by one."""

import json
import socket
import struct

import pytest

from dashboard import ENTER, generated, number


@pytest.fixture
def lab(collector, page):
    """Three routers of two peers each, their tables sent."""
    collector.routers("--peers", "2", "--prefixes", "300", routers=3)
    page.open()
    page.until("the tables", lambda: page.tile("routes") == 1800)
    return page


def test_routers_are_sorted_by_the_heading(lab):
    lab.go("#/routers")
    lab.until("the routers", lambda: len(lab.column("Router")) == 3)
    assert lab.column("Router") == ["127.1.0.1", "127.1.0.2", "127.1.0.3"]
    assert lab.sorted_by("Router") == "ascending"
    lab.heading("Router").click()
    assert lab.column("Router") == ["127.1.0.3", "127.1.0.2", "127.1.0.1"]
    assert lab.sorted_by("Router") == "descending"
    # The same with the keyboard, and figures begin with the largest.
    lab.script("arguments[0].focus()", lab.heading("Messages"))
    lab.press(ENTER)
    assert lab.sorted_by("Messages") == "descending"
    assert lab.sorted_by("Router") == "none"
    figures = [number(n) for n in lab.column("Messages")]
    assert figures == sorted(figures, reverse=True)
    # The address has kept it.
    lab.open("#" + lab.driver.current_url.partition("#")[2])
    lab.until("the routers", lambda: len(lab.column("Router")) == 3)
    assert lab.sorted_by("Messages") == "descending"


def test_routers_show_what_was_sent(lab):
    lab.go("#/routers")
    lab.until("the routers", lambda: lab.column("Routes") == ["600"] * 3)
    assert lab.column("State") == ["up"] * 3
    assert lab.column("Peers up") == ["2"] * 3
    assert lab.column("Name") == ["generated-1", "generated-2",
                                  "generated-3"]
    assert lab.column("Difference") == ["0"] * 3


def test_a_filter_leaves_what_fits(lab):
    lab.go("#/peers")
    lab.until("the peers", lambda: len(lab.column("Peer")) == 6)
    lab.fill(".controls input", "127.1.0.2")
    lab.until("two peers", lambda: len(lab.column("Peer")) == 2)
    assert lab.column("Router") == ["127.1.0.2"] * 2
    assert "filter=127.1.0.2" in lab.driver.current_url
    lab.fill(".controls input", "nobody")
    lab.until_text(".notice", "No peer matches “nobody”")
    lab.fill(".controls input", "10.0.0")
    lab.until("the peers again", lambda: lab.column("Peer"))
    assert not lab.all(".notice")


def test_a_state_without_peers_says_so(lab):
    lab.go("#/peers?state=stale")
    lab.until_text(".notice", "No peer is stale")
    lab.one(".notice a").click()
    lab.until("all of them", lambda: len(lab.column("Peer")) == 6)
    assert lab.column("End-of-RIB") == ["all"] * 6
    assert lab.column("Difference") == ["0"] * 6


def test_from_a_router_to_its_peer(lab):
    lab.go("#/routers")
    lab.until("the routers", lambda: len(lab.column("Router")) == 3)
    lab.one("tbody a").click()
    lab.until("its name", lambda: lab.text("h1") == "generated-1")
    lab.until("its peers", lambda: len(lab.column("Peer")) == 2)
    lab.until_text(".timeline", "Session opened")
    lab.one("tbody a").click()
    lab.until("the peer", lambda: lab.text("h1").startswith("10.0.0.1 AS"))
    assert set(lab.column("Family")) == {"ipv4-unicast", "ipv6-unicast"}
    assert lab.column("End-of-RIB") == ["received"] * 2
    assert sum(map(int, lab.column("Routes"))) == 300
    lab.until_text(".timeline", "Peer up")


def test_who_is_not_there_is_not_invented(page):
    page.open("#/routers/v4_192_0_2_99")
    page.until_text(".notice.failed", "v4_192_0_2_99|[Nn]o such")
    # The browser itself tells the console of a 404.
    assert all(" 404 " in line for line in page.browser.complaints())


def test_a_timeline_tells_of_a_flap(collector, page):
    collector.routers("--peers", "1", "--prefixes", "50", "--churn", "100",
                      "--churn-count", "200", "--flaps", "1")
    page.open("#/peers/v4_127_1_0_1/0-0-10.0.0.1")
    page.until_text(".timeline", "Peer down")
    page.until("three states", lambda: len(page.all(".band .part")) >= 3)


def initiation(name):
    tlv = struct.pack(">HH", 2, len(name)) + name
    return struct.pack(">BIB", 3, 6 + len(tlv), 4) + tlv


def test_what_a_router_says_is_never_markup(collector, page):
    name = b"<img src=x onerror=\"document.title='owned'\"><b>bold</b>"
    with socket.create_connection(("127.0.0.1", collector.port)) as router:
        router.sendall(initiation(name))
        page.open("#/routers")
        page.until("its name", lambda: page.column("Name") == [name.decode()])
        page.go("#/routers/v4_127_0_0_1")
        page.until("its page", lambda: page.text("h1") == name.decode())
        assert page.all("main img, main b") == []
        assert page.driver.title == "Router – arancini"


def test_peers_are_those_that_were_generated(arancini, lab):
    lines = map(json.loads, generated(arancini, "--peers", 2, "--prefixes",
                                      300))
    want = {(line["peerAddr"], str(line["peerAsn"])) for line in lines
            if line["kind"] == "peerUp"}
    lab.go("#/routers/v4_127_1_0_1")
    lab.until("its peers", lambda: len(lab.column("Peer")) == 2)
    assert set(zip(lab.column("Peer"), lab.column("AS"))) == want
