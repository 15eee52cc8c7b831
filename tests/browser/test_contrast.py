"""Every text on every view has a contrast of at least 4.5 to its ground, in
both themes (WCAG 2.1, 1.4.3)."""

import pytest

# Elements with a text of their own, each with the nearest ground that is not
# transparent. What is switched off or cannot be seen does not count.
PAIRS = """
const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
const ground = (e) => {
    for (; e; e = e.parentElement) {
        const colour = rgb(getComputedStyle(e).backgroundColor);
        if (colour.length < 4 || colour[3] > 0)
            return colour.slice(0, 3);
    }
    return [255, 255, 255];
};
return [...document.querySelectorAll("body *")].filter((e) =>
    e.checkVisibility() && !e.disabled && [...e.childNodes].some(
        (n) => n.nodeType === Node.TEXT_NODE && n.textContent.trim()))
    .map((e) => [e.textContent.slice(0, 40),
        rgb(getComputedStyle(e).color).slice(0, 3), ground(e)]);
"""


def luminance(colour):
    parts = [c / 255 for c in colour]
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
               for c in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_can_be_read(browser, collector, page, scheme):
    browser.scheme(scheme)
    collector.routers("--peers", "2", "--prefixes", "100", routers=2)
    page.open()
    page.until("the tables", lambda: page.tile("routes") == 400)
    for place, there in (("#/", ".stat-tile"), ("#/routers", "tbody td"),
                         ("#/peers", "tbody td"), ("#/events", ".events li"),
                         ("#/routers/v4_127_1_0_1", "tbody td"),
                         ("#/lookup?prefix=0.0.0.0/0&match=more-specific",
                          "tbody td"),
                         ("#/lookup?prefix=192.0.2.1", ".notice")):
        page.go(place)
        page.until(place, lambda: page.all(there))
        pairs = page.script(PAIRS)
        assert len(pairs) > 10
        bad = [(text, round(contrast(ink, under), 2))
               for text, ink, under in pairs if contrast(ink, under) < 4.5]
        assert bad == [], place
