"""The looking glass finds what was announced and says when there is nothing."""

import ipaddress
import json

import pytest

from dashboard import ENTER, generated

TABLE = ("--peers", "2", "--prefixes", "500", "--v6-share", "0.2")


@pytest.fixture
def routes(arancini, collector, page):
    """What one router has announced, as decode shows it; all of it is in."""
    lines = map(json.loads, generated(arancini, *TABLE))
    found = [line for line in lines if line["kind"] == "update"]
    collector.routers(*TABLE)
    page.open()
    page.until("the table", lambda: page.tile("routes") == len(found))
    return found


def prefix_of(route):
    return ipaddress.ip_network(f'{route["prefixAddr"]}/'
                                f'{route["prefixLen"]}')


def ask(page, words, match):
    page.go("#/lookup")
    page.until("the form", lambda: page.all("main form"))
    page.one(f"input[value={match}]").click()
    page.fill("main input[name=prefix]", words)
    page.press(ENTER)
    page.until_text("main [role=status]", r"route")


def rows(page):
    return set(zip(page.column("Prefix"), page.column("Peer")))


def want(routes, fits):
    return {(str(prefix_of(r)), r["peerAddr"]) for r in routes
            if fits(prefix_of(r))}


@pytest.mark.parametrize("version", [4, 6])
def test_three_kinds_of_match(page, routes, version):
    wanted = max((prefix_of(r) for r in routes
                  if prefix_of(r).version == version),
                 key=lambda p: p.prefixlen)

    ask(page, str(wanted), "exact")
    assert rows(page) == want(routes, lambda p: p == wanted)

    ask(page, str(wanted.network_address + 1), "longest")
    assert rows(page) == want(routes, lambda p: p == wanted)

    wide = wanted.supernet(new_prefix=wanted.prefixlen - 8)
    ask(page, str(wide), "more-specific")
    assert rows(page) == want(
        routes, lambda p: p.version == version and p.subnet_of(wide))


def test_a_route_is_shown_with_its_attributes(page, routes):
    route = next(r for r in routes if r.get("communities")
                 and r.get("largeCommunities"))
    ask(page, str(prefix_of(route)), "exact")
    at = page.column("Peer").index(route["peerAddr"])
    path = " ".join(map(str, route["asPath"]))
    assert page.column("AS path")[at].startswith(path)
    assert page.column("Next hop")[at] == route["nextHop"]
    assert page.column("AS")[at] == str(route["peerAsn"])
    shown = page.column("Communities")[at]
    assert shown.startswith(" ".join(route["communities"]))
    assert " ".join(route["largeCommunities"]) in shown
    assert all(page.column("Age"))
    # The large ones wait behind a press.
    large = page.all("tbody details")[0]
    assert not large.find_element("css selector", "p").is_displayed()
    large.find_element("css selector", "summary").click()
    assert large.find_element("css selector", "p").is_displayed()


def test_an_unknown_route_says_so_and_what_next(page, routes):
    covered = [prefix_of(r) for r in routes]
    free = next(p for p in ipaddress.ip_network("203.0.112.0/20").subnets(
        new_prefix=24) if not any(p.version == c.version and p.overlaps(c)
                                  for c in covered))
    ask(page, str(free), "exact")
    page.until_text(".notice", f"No peer has a route for {free}")
    assert not page.one("table").is_displayed()
    links = [a.text for a in page.all(".notice a")]
    assert links == ["Longest match", "More-specific"]
    page.all(".notice a")[0].click()
    page.until("the other question", lambda:
               "match=longest" in page.driver.current_url)
    page.until_text(".notice", f"No peer has a route for {free}")


def test_nonsense_is_answered_with_a_hint(page):
    page.open()
    page.go("#/lookup?prefix=<b>nonsense&match=exact")
    page.until("the error", lambda: page.all(".notice.failed h2"))
    assert len(page.text(".notice.failed")) > 20
    assert page.all(".notice b") == []
    # The browser itself tells the console of a 400.
    assert all(" 400 " in line for line in page.browser.complaints())


def test_one_peer_can_be_asked_alone(page, routes):
    route = routes[0]
    page.go(f'#/peers/v4_127_1_0_1/0-0-{route["peerAddr"]}')
    page.until_text("main a", "ask this peer")
    next(a for a in page.all("main a") if a.text == "ask this peer").click()
    page.until("the form", lambda: page.all("main form"))
    page.one("input[value=exact]").click()
    page.fill("main input[name=prefix]", str(prefix_of(route)))
    page.press(ENTER)
    page.until_text("main [role=status]", "1 route of 1 peer")
    assert page.column("Peer") == [route["peerAddr"]]
