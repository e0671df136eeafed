# SPDX-License-Identifier: Apache-2.0
"""Pages in a browser: for the keyboard, screen readers, phones, light and dark; and what readers can save."""

from __future__ import annotations

import csv
import shutil
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

import pytest
from fixture_browser import Browser, browser
from fixture_studies import TINY, study_of
from polycast_cli.common import ROOT, Status
from polycast_cli.generate import registers
from polycast_cli.reports.comparison_page import compare_runs
from polycast_cli.reports.report import write_report
from polycast_cli.studies import reproduce as reproducing
from polycast_cli.studies.reproduce import Order
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from simulation import SCENARIOS, SIMULATOR, simulate

__all__ = ["browser"]

CLAIMS = """\
claims:
  - id: holds
    claim: A tree is quicker.
    source: a test
    parts:
      - says: tree over interfaces
        published: "0.5"
        value: {of: {figure: ratio, series: [tree]}, over: {figure: ratio, series: [ni]}}
        expect: {below: 1}
  - id: fails
    claim: A tree takes no time.
    source: a test
    parts:
      - {says: tree, value: {figure: ratio, series: [tree]}, expect: {below: 1}}
"""

#: Curves of two patterns on routers.
ROUTERS = """\
name: routers
seed: 1
network: {topology: {kind: mesh, radix: 4, dimensions: 2}}
router: {vcs: 2, buffer: 8}
host: {model: ideal}
workload:
  - {name: uniform, kind: unicast, pattern: uniform, rate: [0.02, 0.2, 0.6]}
  - {name: transpose, kind: unicast, pattern: transpose, rate: [0.02, 0.2, 0.6]}
measurement: {warmup: 200 cycle, window: 1000 cycle, batches: 10}
"""

#: Every page there is, by what it shows.
NAMES = ["run", "failed", "routers", "waves", "programs", "study", "verdicts", "registers", "comparison"]


@dataclass
class Pages:
    """Written once: runs of the simulator, and a study of it."""

    folder: Path

    def __getitem__(self, name: str) -> Path:
        return {
            "run": self.folder / "run" / "report.html",
            "failed": self.folder / "failed" / "report.html",
            "routers": self.folder / "routers" / "report.html",
            "waves": self.folder / "waves" / "report.html",
            "programs": self.folder / "programs" / "report.html",
            "study": self.folder / "study" / "report.html",
            "verdicts": self.folder / "study" / "verdicts.html",
            "registers": ROOT / registers.PAGE,
            "comparison": self.folder / "comparison.html",
        }[name]


def write_study(folder: Path) -> None:
    claims = folder / "claims.yaml"
    claims.write_text(CLAIMS)
    study = study_of(folder, TINY.replace("efforts:", f"claims: {claims}\nefforts:", 1))
    patch = pytest.MonkeyPatch()
    patch.setattr(reproducing, "ready", lambda preset: SIMULATOR)
    order = Order(study, "quick", folder / "study", study.chosen(("ratio",)), 2, "the command")
    assert reproducing.reproduce(order) == Status.OK
    patch.undo()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Pages:
    folder = tmp_path_factory.mktemp("pages")
    one = "network.topology.instances=1"
    simulate(SCENARIOS / "first_light.yaml", folder / "run", one)
    simulate(SCENARIOS / "first_light.yaml", folder / "slower", one, "switch.route_delay=3 cycle")
    (folder / "routers.yaml").write_text(ROUTERS)
    simulate(folder / "routers.yaml", folder / "routers")
    small = ("network.topology.radix=8", "network.topology.bypass=[2]")
    simulate(SCENARIOS / "bypass_torus.yaml", folder / "waves", *small)
    shutil.copytree(folder / "run", folder / "failed", ignore=lambda *_: ["topology", "activity.csv"])
    results = folder / "failed" / "results.json"
    results.write_text(results.read_text().replace('"passed": true', '"passed": false', 1))
    write_study(folder)
    simulate(SCENARIOS / "program.yaml", folder / "programs", one, "workload.stencil.critical_path=network")
    for name in ("run", "failed", "routers", "waves", "programs"):
        write_report(folder / name)
    compared = [folder / "run", folder / "slower"]
    assert compare_runs(compared, folder / "comparison.html", False, 0.0) == Status.OK
    return Pages(folder)


@pytest.mark.parametrize("name", NAMES)
def test_everybody_can_read_it(browser: Browser, pages: Pages, name: str) -> None:
    browser.complaints()
    browser.open(pages[name])
    browser.script("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    with browser.screen(colours="light"):
        assert browser.violations() == []
    with browser.screen(colours="dark"):
        assert browser.violations(["color-contrast"]) == []
    assert browser.complaints() == []


@pytest.mark.parametrize("name", NAMES)
def test_a_phone_does_not_scroll_sideways(browser: Browser, pages: Pages, name: str) -> None:
    with browser.screen(width=390):
        browser.open(pages[name])
        assert browser.script("return document.documentElement.scrollWidth") <= 390
        # What scrolls inside of the page can be reached by the keyboard.
        browser.until(lambda: all(index == 0 and (label or tag == "PRE") for tag, index, label in wide(browser)))
        assert wide(browser) or name == "study"


def wide(browser: Browser) -> list[tuple[str, int, str | None]]:
    """Boxes that scroll: kind, place in the order of the keyboard, name."""
    return browser.script(
        "return [...document.querySelectorAll('.scroll, pre')].filter((one) => one.scrollWidth > one.clientWidth)"
        ".map((one) => [one.tagName, one.tabIndex, one.ariaLabel])"
    )


@pytest.mark.parametrize("name", ["run", "waves", "study", "comparison"])
def test_the_keyboard_reaches_everything(browser: Browser, pages: Pages, name: str) -> None:
    browser.open(pages[name])
    shown = browser.visible("select, summary, a.save, button, input")
    assert len(shown) > 3
    stops = browser.stops()
    assert stops[0].get_property("textContent") == "To the content"
    missed = [one.get_attribute("outerHTML")[:120] for one in shown if one not in stops]
    assert missed == []
    for stop in stops:
        assert browser.script("arguments[0].focus(); return getComputedStyle(arguments[0]).outlineStyle", stop)


def test_the_first_link_skips_the_header(browser: Browser, pages: Pages) -> None:
    browser.open(pages["study"])
    skip = browser.stops()[0]
    skip.send_keys(Keys.ENTER)
    assert browser.driver.switch_to.active_element.tag_name == "main"


@pytest.mark.parametrize(
    ("name", "what"),
    [("run", "network"), ("run", "activity"), ("waves", "film"), ("programs", "ranks"), ("study", "ratio")],
)
def test_choosers_change_the_picture(browser: Browser, pages: Pages, name: str, what: str) -> None:
    browser.open(pages[name])
    (chooser,) = browser.all(f"select[data-shows={what}]")
    pictures = browser.all(f".picture[data-of={what}]")
    assert len(pictures) > 1
    assert [one.is_displayed() for one in pictures] == [True] + [False] * (len(pictures) - 1)
    browser.script("arguments[0].focus()", chooser)
    browser.press(Keys.ARROW_DOWN)
    assert [one.is_displayed() for one in pictures] == [False, True] + [False] * (len(pictures) - 2)


@pytest.mark.parametrize("name", ["run", "routers", "waves", "study", "comparison"])
def test_pictures_can_be_saved(browser: Browser, pages: Pages, name: str) -> None:
    """They look the same without the page's styles: a drawing program has none."""
    browser.open(pages[name])
    links = browser.visible("a.save[data-save=svg]")
    assert links
    for colours in ("light", "dark"):
        with browser.screen(colours=colours):
            files = [browser.saved(link).read_text() for link in links]
        if colours == "light":
            light = files
    assert files == light, "what is saved does not depend on the colours of the page"
    for link, text in zip(links, files, strict=True):
        root = ET.fromstring(text)
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert "class=" not in text
        assert "var(" not in text
        drawn = [one for one in root.iter() if one.tag.rpartition("}")[2] in ("path", "rect", "circle", "line", "text")]
        on_page = link.find_element(By.XPATH, "ancestor::figure").find_elements(
            By.CSS_SELECTOR, "svg path, svg rect, svg circle, svg line, svg text"
        )
        assert len(drawn) > len(on_page) > 3, "and a background"
        assert all(one.get("fill") or one.tag.endswith("}line") for one in root.iter() if one.tag.endswith("}rect"))


def test_a_saved_picture_has_its_legend_and_colours(browser: Browser, pages: Pages) -> None:
    browser.open(pages["routers"])
    (link,) = (one for one in browser.all("a.save[data-save=svg]") if one.get_attribute("download") == "load.svg")
    root = ET.fromstring(browser.saved(link).read_text())
    space = {"s": "http://www.w3.org/2000/svg"}
    assert "uniform" in [one.text for one in root.findall("s:text", space)]
    curves = {one.get("stroke") for one in root.findall("s:path", space) if one.get("fill") == "none"}
    swatches = {one.get("fill") for one in root.findall("s:rect", space)[1:]}
    assert swatches
    assert swatches <= curves


def colours_on(browser: Browser) -> int:
    """Of the shown chart of ranks."""
    return browser.script(
        "const one = [...document.querySelectorAll('.ranks canvas')].find((each) => each.checkVisibility());"
        "const data = one.getContext('2d').getImageData(0, 0, one.width, one.height).data, found = new Set();"
        "for (let i = 0; i < data.length; i += 4) if (data[i + 3] === 255)"
        " found.add(data[i] * 65536 + data[i + 1] * 256 + data[i + 2]);"
        "return found.size"
    )


def test_a_chart_of_ranks_can_be_zoomed_and_its_operations_opened(browser: Browser, pages: Pages) -> None:
    browser.open(pages["programs"])
    (chart,) = browser.visible(".ranks")
    (canvas,) = browser.visible(".ranks canvas")
    seen = chart.find_element(By.CSS_SELECTOR, "output.range")
    browser.until(lambda: "ranks 0 to 15" in seen.text)
    whole = seen.text
    browser.until(lambda: colours_on(browser) >= 4)
    (closer,) = browser.visible(".ranks button[data-zoom=in]")
    for _ in range(40):
        closer.click()
    first, last = (int(part.replace(",", "")) for part in seen.text.split(", ranks")[0][len("cycles ") :].split(" to "))
    assert last - first == 4, "to a cycle"
    browser.script("arguments[0].focus()", canvas)
    browser.press(Keys.HOME)
    assert seen.text == whole
    # Where a rank's first operation is: its name, and the line of the file that says it.
    opened = chart.find_element(By.CSS_SELECTOR, "output.opened")
    wide, tall = browser.script("return [arguments[0].clientWidth, arguments[0].clientHeight]", canvas)
    right, down = 52 - wide / 2, (tall - 22) / 16 * 3.6 - tall / 2
    ActionChains(browser.driver).move_to_element_with_offset(canvas, int(right), int(down)).click().perform()
    browser.until(lambda: opened.text.startswith("rank 3 line "))
    line = int(opened.text.split()[3])
    source = (ROOT / "testbench/data/programs/goal/stencil_4x4.goal").read_text().splitlines()[line - 1].strip()
    assert f"line {line}: {source}" in opened.text


def table_of(browser: Browser, link: object) -> list[list[str]]:
    """The cells of the link's table as they are read."""
    rows = browser.script(
        "const at = arguments[0]; const box = at.closest('.table') ?? at.closest('figure');"
        "return [...box.querySelector('table').rows].map((row) => [...row.cells].map((cell) => cell.textContent))",
        link,
    )
    return [[" ".join(cell.split()) for cell in row] for row in rows]


def as_number(text: str) -> float | None:
    try:
        value = float(text.removesuffix(" %").replace(",", ""))
    except ValueError:
        return None
    return value / 100 if text.endswith(" %") else value


@pytest.mark.parametrize("name", NAMES)
def test_tables_can_be_saved(browser: Browser, pages: Pages, name: str) -> None:
    browser.open(pages[name])
    links = browser.visible("a.save[data-save=csv]")
    assert links
    for link in links[:6]:
        shown = table_of(browser, link)
        with browser.saved(link).open(newline="") as stream:
            rows = list(csv.reader(stream))
        assert [len(row) for row in rows] == [len(row) for row in shown]
        assert rows[0] == shown[0]
        for saved, seen in ((a, b) for row in zip(rows[1:], shown[1:], strict=True) for a, b in zip(*row, strict=True)):
            number = as_number(seen)
            if number is None:
                assert saved == ("" if seen == "–" else seen)
            else:
                assert float(saved) == pytest.approx(number, rel=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_saved_files_have_names_of_their_own(browser: Browser, pages: Pages, name: str) -> None:
    browser.open(pages[name])
    names = browser.script("return [...document.querySelectorAll('a.save')].map((link) => link.download)")
    assert sorted(names) == sorted(set(names))
    assert not any("/" in name for name in names)


def test_commands_can_be_copied(browser: Browser, pages: Pages) -> None:
    origin = {"origin": "file://", "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]}
    browser.driver.execute_cdp_cmd("Browser.grantPermissions", {"permissions": origin["permissions"]})
    browser.open(pages["run"])
    button = browser.all(".copy")[0]
    button.send_keys(Keys.ENTER)
    browser.driver.execute_async_script("setTimeout(arguments[0], 100)")
    copied = browser.driver.execute_async_script("navigator.clipboard.readText().then(arguments[0])")
    assert copied == browser.all(".command code")[0].text
    assert button.text == "Copied"


def test_without_the_script_everything_is_there(browser: Browser, pages: Pages) -> None:
    """In an e-mail: all pictures below each other, and of the links only those that lead to a file."""
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.open(pages["run"])
        pictures = browser.driver.find_elements(By.CSS_SELECTOR, ".picture")
        assert all(one.is_displayed() for one in pictures)
        links = [link for link in browser.driver.find_elements(By.CSS_SELECTOR, "a.save") if link.is_displayed()]
        hrefs = [link.get_dom_attribute("href") for link in links]
        assert "tables/links.csv" in hrefs
        assert all((pages["run"].parent / str(href)).is_file() for href in hrefs)
    finally:
        browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_print_is_light_and_whole(browser: Browser, pages: Pages) -> None:
    browser.open(pages["run"])
    with browser.screen(colours="dark", media="print"):
        assert browser.script("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert browser.script("return getComputedStyle(document.querySelector('h1')).color") == "rgb(29, 33, 38)"
        assert all(one.is_displayed() for one in browser.all(".picture"))
        assert not any(one.is_displayed() for one in browser.all(".choose, .saves, .copy"))
