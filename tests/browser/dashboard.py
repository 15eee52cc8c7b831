"""The dashboard as a person meets it: a collector on ports that stay the same
over a restart, and a page that is clicked, typed into and read."""

import re
import subprocess

import pytest
from selenium.common.exceptions import (StaleElementReferenceException,
                                        TimeoutException)
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

PATIENCE = 60


class Collector:
    """"arancini run" with HTTP, and routers that report to it."""

    def __init__(self, server, arancini, free_port, folder):
        self.start_server = server
        self.arancini = arancini
        self.folder = folder
        self.port, self.http = free_port(), free_port()
        self.url = f"http://127.0.0.1:{self.http}/"
        self.start()

    def start(self):
        self.server = self.start_server(
            [self.arancini, "run", "--listen", f"127.0.0.1:{self.port}",
             "--http", f"127.0.0.1:{self.http}", "--workers", "2",
             "--collector-id", "lab-1", "--state", self.folder],
            ready="event=started", timeout=PATIENCE)

    def stop(self):
        assert self.server.stop(timeout=PATIENCE) == 0, self.server.output

    def routers(self, *options, routers=1):
        """Made-up routers that stay until the test ends."""
        return self.start_server(
            [self.arancini, "generate", "--to", f"127.0.0.1:{self.port}",
             "--routers", routers, "--spread-sources", "--wall-clock",
             "--hold", *options])


def generated(arancini, *options):
    """The lines "arancini decode" has for what these options generate."""
    made = subprocess.run(
        [arancini, "generate", *map(str, options), "-o", "-"], check=True,
        capture_output=True, timeout=PATIENCE)
    return subprocess.run(
        [arancini, "decode", "-"], input=made.stdout, check=True,
        capture_output=True, timeout=PATIENCE).stdout.decode().splitlines()


def number(text):
    """1,234 is 1234; a dash is nothing yet."""
    text = text.replace(",", "").replace("−", "-")
    return float(text) if re.fullmatch(r"[+-]?\d+(\.\d+)?", text) else None


class Page:
    """What is on the screen."""

    def __init__(self, browser, url):
        self.browser = browser
        self.driver = browser.driver
        self.url = url

    def open(self, place="#/"):
        # From another document, so that every test begins with a fresh page.
        self.driver.get("about:blank")
        self.driver.get(self.url + place)
        self.until("the connection", lambda: self.text("#link") == "live")

    def go(self, place):
        self.driver.execute_script("location.hash = arguments[0]", place)

    def until(self, what, condition):
        """Wait until it is true; elements may be replaced meanwhile."""
        waiting = WebDriverWait(
            self.driver, PATIENCE, poll_frequency=0.1,
            ignored_exceptions=[StaleElementReferenceException])
        try:
            return waiting.until(lambda _: condition())
        except TimeoutException:
            pytest.fail(f"{what} did not come; the page says:\n"
                        f"{self.text('body')}")

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def text(self, selector):
        return self.one(selector).text

    def script(self, code, *values):
        return self.driver.execute_script(code, *values)

    def until_text(self, selector, pattern):
        self.until(f"{pattern!r} in {selector}", lambda: any(
            re.search(pattern, e.text) for e in self.all(selector)))

    def tile(self, name):
        return number(self.text(f"#tile-{name} .value"))

    def column(self, title):
        """The texts of a column, from the top, in one go: a refresh must not
        come between two cells."""
        return self.script(
            "return [...document.querySelectorAll('tbody td')].filter("
            "td => td.dataset.title === arguments[0])"
            ".map(td => td.textContent)", title)

    def heading(self, title):
        return next(b for b in self.all("thead button") if b.text.strip(
            " ↑↓↕") == title)

    def sorted_by(self, title):
        return self.script("return arguments[0].parentElement.ariaSort",
                           self.heading(title))

    def fill(self, selector, words):
        field = self.one(selector)
        field.clear()
        field.send_keys(words)

    def press(self, *keys):
        self.driver.switch_to.active_element.send_keys(*keys)

    def focused(self, attribute):
        return self.driver.switch_to.active_element.get_attribute(attribute)

    def widths(self):
        """What the page takes and what the screen has."""
        return self.script("return [document.documentElement.scrollWidth,"
                           " innerWidth]")


ENTER, TAB, ESCAPE = Keys.ENTER, Keys.TAB, Keys.ESCAPE
