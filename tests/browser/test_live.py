"""What moves by itself: rates, charts, events, and the connection when the
collector goes and comes back."""

import pytest

from dashboard import PATIENCE

RATES = ("received", "suppressed", "published")


def test_numbers_move_while_routers_report(collector, page):
    page.open()
    assert page.tile("received") == 0
    collector.routers("--peers", "2", "--prefixes", "1k", "--churn", "400",
                      "--churn-mix", "60:30:10", routers=2)
    page.until("the tables", lambda: page.tile("routes") > 3000)
    for name in RATES:
        page.until(f"{name} a second", lambda: page.tile(name) > 0)
    before = page.text("#tile-received .note")
    page.until("more of it", lambda:
               page.text("#tile-received .note") != before)


def coloured(page, number):
    """How many pixels of a chart are neither grey nor empty."""
    return page.script("""
        const canvas = document.querySelectorAll("canvas")[arguments[0]];
        const copy = new OffscreenCanvas(canvas.width, canvas.height)
            .getContext("2d", {willReadFrequently: true});
        copy.drawImage(canvas, 0, 0);
        const {data} = copy.getImageData(0, 0, canvas.width, canvas.height);
        let n = 0;
        for (let i = 0; i < data.length; i += 4) {
            const rgb = [data[i], data[i + 1], data[i + 2]];
            n += data[i + 3] > 0
                && Math.max(...rgb) - Math.min(...rgb) > 40;
        }
        return n;""", number)


def test_charts_draw_and_speak(collector, page):
    collector.routers("--peers", "1", "--prefixes", "500", "--churn", "300")
    page.open()
    page.until("the lines of the rates", lambda: coloured(page, 0) > 20)
    page.until("the lines of the acknowledgements",
               lambda: coloured(page, 1) > 5)
    page.until("a legend with a figure", lambda: any(
        "received" in li.text and not li.text.endswith(" 0")
        for li in page.all(".chart:first-child .legend li")))
    spoken = page.all("canvas")[0].get_attribute("aria-label")
    assert "received" in spoken and "synthetic" in spoken


def test_events_appear_as_they_happen(collector, page):
    page.open("#/events")
    page.until_text(".notice", "Nothing has happened yet")
    collector.routers("--peers", "2", "--prefixes", "50")
    page.until_text(".events li", "Session opened")
    page.until_text(".events li", "Peer up")
    page.until_text(".events li", "End-of-RIB")
    page.fill(".controls input", "peer up")
    page.until("only those", lambda: [
        e.text for e in page.all(".events .what")] == ["Peer up"] * 2)


def network_only(complaints):
    """A refused or cut connection is told to the console by the browser."""
    return [line for line in complaints
            if "net::ERR_" not in line and " 503 " not in line]


@pytest.mark.parametrize("place", ["#/", "#/routers"])
def test_a_lost_connection_is_said_and_recovers(collector, page, place):
    router = collector.routers("--peers", "1", "--prefixes", "100")
    page.open(place)
    if place == "#/routers":
        page.until("the router", lambda: page.column("State") == ["up"])
    else:
        page.until("the router", lambda: page.tile("routes") == 100)
    assert not page.one("#banner").is_displayed()

    collector.stop()
    router.wait(PATIENCE)
    page.until("the banner", lambda: page.one("#banner").is_displayed())
    assert page.text("#link") == "lost"
    page.until_text("#banner", r"lost at \d\d:\d\d:\d\d UTC, \d+ s ago")
    page.until("time to pass", lambda: "2 s ago" in page.text("#banner"))

    collector.start()
    page.until("the connection", lambda: page.text("#link") == "live")
    assert not page.one("#banner").is_displayed()
    # The page is the same one, and what it shows is new: the routes come
    # from the snapshot, their router is away.
    if place == "#/routers":
        page.until("the router", lambda: page.column("State") == ["stale"])
    else:
        page.until("the state of now", lambda: page.tile("routes") == 100)
        page.until("no session", lambda: "0 connected" in page.text(
            "#tile-routers"))
    assert network_only(page.browser.complaints()) == []
