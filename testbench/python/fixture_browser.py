# SPDX-License-Identifier: Apache-2.0
"""Pages in headless Chromium: what a reader sees, hears and gets."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from axe_core_python.selenium import Axe
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

PROGRAMS = {"chromium": shutil.which("chromium"), "chromedriver": shutil.which("chromedriver")}
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --disable-quic --no-first-run"
    " --disable-background-networking --disable-component-update --disable-sync --window-size=1100,1400"
)
#: Rules of the accessibility guidelines, levels A and AA.
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
#: Of what there are many alike a few are looked at: rows, registers, marks of pictures.
MANY = ["tbody tr:nth-child(n + 7)", "article:nth-of-type(n + 5)", "svg :nth-child(n + 40)"]
#: Longer than anything a page takes.
PATIENCE = 10.0


class Browser:
    """One window; `downloads` is where files go."""

    def __init__(self, downloads: Path) -> None:
        self.downloads = downloads
        options = webdriver.ChromeOptions()
        options.binary_location = PROGRAMS["chromium"] or ""
        for flag in FLAGS.split():
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
        self.driver = webdriver.Chrome(options=options, service=Service(PROGRAMS["chromedriver"]))

    def open(self, page: Path) -> None:
        self.driver.get(page.as_uri())

    def script(self, text: str, *arguments: object) -> Any:
        return self.driver.execute_script(text, *arguments)

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def visible(self, selector: str) -> list[WebElement]:
        return self.script(
            "return [...document.querySelectorAll(arguments[0])].filter((one) => one.checkVisibility())", selector
        )

    def press(self, *keys: str) -> None:
        """Types into whatever has the focus."""
        self.driver.switch_to.active_element.send_keys(*keys)

    def complaints(self) -> list[str]:
        """What the console said since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def violations(self, rules: list[str] = RULES) -> list[str]:
        """Rules of accessibility that the page breaks, with the first places."""
        self.driver.execute_script(
            "document.querySelectorAll(arguments[0]).forEach((one) => one.remove())", ", ".join(MANY)
        )
        self.driver.execute_script(Axe().axe_script)
        script = "axe.run({runOnly: arguments[0], resultTypes: ['violations']}).then(arguments[1])"
        found = self.driver.execute_async_script(script, rules)["violations"]
        return [f"{one['id']}: {[node['html'][:160] for node in one['nodes'][:3]]}" for one in found]

    @contextmanager
    def screen(self, width: int = 1100, colours: str = "light", media: str = "") -> Iterator[None]:
        """A page as wide as this, light or dark, or in print."""
        command = self.driver.execute_cdp_cmd
        features = [{"name": "prefers-color-scheme", "value": colours}]
        command("Emulation.setEmulatedMedia", {"features": features, "media": media})
        size = {"width": width, "height": 1400, "deviceScaleFactor": 1, "mobile": False}
        command("Emulation.setDeviceMetricsOverride", size)
        try:
            yield
        finally:
            command("Emulation.clearDeviceMetricsOverride", {})
            command("Emulation.setEmulatedMedia", {"features": [], "media": ""})

    def until(self, condition: Callable[[], object]) -> None:
        """The page's script is told of sizes at the end of a frame, and a frame is drawn when somebody looks."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < deadline, "waited in vain"
            self.driver.get_screenshot_as_png()

    def stops(self) -> list[WebElement]:
        """Where the tabulator key stops, from the top of the page to its end."""
        self.script("document.activeElement.blur(); scrollTo(0, 0); getSelection().removeAllRanges()")
        found: list[WebElement] = []
        self.driver.find_element(By.TAG_NAME, "body").send_keys(Keys.TAB)
        while (one := self.driver.switch_to.active_element).tag_name != "body" and one not in found:
            found.append(one)
            one.send_keys(Keys.TAB)
        return found

    def saved(self, link: WebElement) -> Path:
        """The file that a link gives, pressed by the keyboard."""
        name = link.get_attribute("download")
        assert name
        target = self.downloads / name
        target.unlink(missing_ok=True)
        link.send_keys(Keys.ENTER)
        end = time.monotonic() + PATIENCE
        while not (target.is_file() and target.stat().st_size) and time.monotonic() < end:
            time.sleep(0.02)
        assert target.is_file(), f"{name} is not saved"
        return target


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    missing = [name for name, path in PROGRAMS.items() if path is None]
    if missing:
        pytest.skip(f"{' and '.join(missing)} are not installed")
    made = Browser(tmp_path_factory.mktemp("downloads"))
    yield made
    made.driver.quit()
