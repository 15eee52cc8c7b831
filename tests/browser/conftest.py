"""A browser for all tests, a collector and a fresh page for each. Fixtures of
the system tests serve here, too."""

import importlib.util
import pathlib
import sys

import pytest

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "system"), str(TESTS / "browser")]

# By path: its name is this file's own.
spec = importlib.util.spec_from_file_location(
    "system_conftest", TESTS / "system" / "conftest.py")
system = importlib.util.module_from_spec(spec)
spec.loader.exec_module(system)

tree = system.tree
arancini = system.arancini
captures = system.captures
free_port = system.free_port
server = system.server

pytest.importorskip("selenium", reason="python3-selenium is not installed")


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    import chromium
    if not chromium.installed():
        pytest.skip("chromium and chromium-driver are not installed")
    one = chromium.Browser(tmp_path_factory.mktemp("chromium"))
    yield one
    one.stop()


@pytest.fixture
def collector(server, arancini, free_port, tmp_path):
    from dashboard import Collector
    return Collector(server, arancini, free_port, tmp_path / "state")


@pytest.fixture
def page(browser, collector):
    """A page that must leave nothing in the console. A test that stops the
    collector or asks for nonsense takes out first what that brings."""
    from dashboard import Page
    browser.size(1440, 900)
    browser.scheme("light")
    browser.complaints()
    page = Page(browser, collector.url)
    yield page
    complaints = browser.complaints()
    # Its connection would keep the collector busy and the console filled.
    browser.driver.get("about:blank")
    assert complaints == []
