"""The page itself: it loads under a strict policy, every view has a link, it can
be used with the keyboard, on a phone, in the dark."""

import urllib.request

import pytest

from dashboard import ENTER, TAB

VIEWS = ["#/", "#/routers", "#/peers", "#/lookup", "#/events"]


def test_loads_under_a_strict_policy(collector, page):
    with urllib.request.urlopen(collector.url, timeout=10) as answer:
        policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    page.open()
    assert page.driver.title == "Overview – arancini"
    assert page.text("#collector") == "lab-1"
    assert page.tile("routers") == 0


def test_nothing_comes_from_elsewhere(collector, page):
    page.open()
    loaded = page.script("return performance.getEntriesByType('resource')"
                         ".map(entry => entry.name)")
    assert len(loaded) > 10
    assert [name for name in loaded
            if not name.startswith(collector.url)] == []


def test_without_a_router_it_says_how_to_get_one(collector, page):
    for place in ("#/", "#/routers", "#/peers",
                  "#/lookup?prefix=192.0.2.1&match=longest"):
        page.open(place)
        page.until_text(".notice", "No router has connected yet")
        page.until_text(".notice", "arancini generate --to "
                                   f"127.0.0.1:{collector.port}")


def test_every_view_is_a_link_and_the_bar_says_where_one_is(page):
    page.open()
    for a in page.all("#nav a"):
        name, href = a.text, a.get_attribute("href")
        a.click()
        page.until(name, lambda: page.driver.title == f"{name} – arancini")
        assert page.text("#nav [aria-current=page]") == name
        assert page.driver.current_url == href
    page.driver.back()
    page.until("the view before", lambda: page.driver.title
               == "Looking glass – arancini")


def test_an_address_that_leads_nowhere_says_so(page):
    page.open("#/no/such/place%")
    assert page.text("h1") == "No such page"
    page.one(".notice a").click()
    page.until("the overview", lambda: page.all("#tile-routers"))


def test_keyboard(page):
    page.open("#/routers")
    page.press(TAB)
    assert page.focused("id") == "skip"
    assert page.one("#skip").is_displayed()
    page.press(ENTER)
    assert page.focused("id") == "main"
    assert page.driver.current_url.endswith("#/routers")
    page.press("/")
    assert page.focused("name") == "prefix"
    outline = page.script("return getComputedStyle(document.activeElement)"
                          ".outlineStyle")
    assert outline == "solid"
    page.press("192.0.2.0/24", ENTER)
    page.until("the looking glass", lambda: page.driver.current_url.endswith(
        "#/lookup?prefix=192.0.2.0%2F24&match=longest"))


def ground(page):
    return page.script("return getComputedStyle(document.body)"
                       ".backgroundColor")


def test_theme_follows_the_system_until_it_is_chosen(browser, page):
    page.open()
    light = ground(page)
    browser.scheme("dark")
    dark = ground(page)
    assert light != dark
    switch = page.one("#theme")
    assert switch.text == "Auto"
    switch.click()
    assert (switch.text, ground(page)) == ("Light", light)
    page.open()
    assert (page.text("#theme"), ground(page)) == ("Light", light)
    page.one("#theme").click()
    browser.scheme("light")
    assert (page.text("#theme"), ground(page)) == ("Dark", dark)
    page.one("#theme").click()
    assert (page.text("#theme"), ground(page)) == ("Auto", light)


@pytest.mark.parametrize("width", [360, 768])
def test_a_narrow_screen_has_no_horizontal_scroll(browser, collector, page,
                                                  width):
    collector.routers("--peers", "2", "--prefixes", "200", routers=2)
    browser.size(width, 740)
    page.open()
    page.until("the routers", lambda: page.tile("routers") == 2)
    for place in VIEWS + ["#/routers/v4_127_1_0_1",
                          "#/peers/v4_127_1_0_1/0-0-10.0.0.1",
                          "#/lookup?prefix=0.0.0.0/0&match=more-specific"]:
        page.go(place)
        if place not in ("#/", "#/lookup", "#/events"):
            page.until(f"{place}", lambda: page.all("tbody td"))
        taken, there = page.widths()
        assert taken <= there, place
