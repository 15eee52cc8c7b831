"""Debian's Chromium without a window, driven by its chromedriver: with a
profile of its own, bounded in time, ended by process id."""

import os
import pathlib
import shutil
import signal

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

CHROMIUM, DRIVER = "/usr/bin/chromium", "/usr/bin/chromedriver"
# The driver starts the browser in a group of its own, so whoever kills the test
# run does not reach it. It must end by itself then.
LONGEST_SECONDS = 900
FLAGS = (
    "--headless=new",
    "--no-sandbox",             # the sandbox does not work for root
    "--disable-gpu",
    "--disable-dev-shm-usage",  # /dev/shm is small in containers
    "--hide-scrollbars",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--force-color-profile=srgb",
)


def installed():
    return os.path.exists(CHROMIUM) and os.path.exists(DRIVER)


class Browser:
    def __init__(self, folder):
        folder = pathlib.Path(folder)
        options = Options()
        options.binary_location = str(self.launcher(folder))
        for flag in FLAGS + (f"--user-data-dir={folder / 'profile'}",):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(
            options=options,
            service=Service(DRIVER, log_path=str(folder / "driver.log")))
        # Generous: where CPUs are short, Chromium is slow to start.
        self.driver.set_page_load_timeout(180)
        self.driver.set_script_timeout(60)
        self.pid = int((folder / "pid").read_text())

    @staticmethod
    def launcher(folder):
        script = folder / "chromium"
        script.write_text(
            "#!/bin/sh\n"
            f"echo $$ >'{folder}/pid'\n"
            f"exec {shutil.which('timeout')} --kill-after=5 "
            f"{LONGEST_SECONDS} {CHROMIUM} \"$@\"\n")
        script.chmod(0o755)
        return script

    def stop(self):
        try:
            self.driver.quit()
        finally:
            try:
                # timeout passes it on to all it has started.
                os.kill(self.pid, signal.SIGTERM)
            except ProcessLookupError:
                pass

    def size(self, width, height):
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1,
             "mobile": False})

    def scheme(self, name):
        """What the system prefers, light or dark."""
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {"features": [{"name": "prefers-color-scheme", "value": name}]})

    def complaints(self):
        """What the console has said since it was asked last."""
        return [f'{line["level"]}: {line["message"]}'
                for line in self.driver.get_log("browser")
                if line["level"] in ("SEVERE", "WARNING")]
