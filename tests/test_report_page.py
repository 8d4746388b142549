"""The page itself: that it says what the data say, and that a browser shows all of it."""

import json
import re
import shutil
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from report_batches import die_batch, likely_landings, recorded, write_batch
from report_fits import fitted_document, write_fit

from calibration.report.build import build
from calibration.report.page import as_json, render

CHROMIUM = shutil.which("chromium")
WIDTHS = (390, 1200)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Pages of a batch, a comparison, a calibration and a batch of dice, as files."""
    root = tmp_path_factory.mktemp("pages")
    a = write_batch(root / "a", recorded(likely_landings(400, 1, failing=0.02)))
    b = write_batch(root / "b", recorded(likely_landings(300, 2)))
    fit = write_fit(root / "fit", fitted_document())
    found = {}
    die = write_batch(root / "die", die_batch(likely_landings(400, 3, failing=0.02))[1])
    shown = {"batch": [a], "comparison": [a, b], "fit": [fit], "die": [die]}
    for name, directories in shown.items():
        report = build(directories)
        path = root / f"{name}.html"
        path.write_text(render(report.page()))
        found[name] = (path, report.data)
    return found


NAMES = ("batch", "comparison", "fit", "die")


class Cells(HTMLParser):
    """Collects the tables: their headers, and the values and texts of their cells."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tables: list[list[list[tuple[str, float | None]]]] = []
        self._open = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            value = dict(attrs).get("data-value")
            self.tables[-1][-1].append(("", None if value is None else float(value)))
            self._open = True

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._open = False

    def handle_data(self, data: str) -> None:
        if self._open:
            text, value = self.tables[-1][-1][-1]
            self.tables[-1][-1][-1] = (text + data, value)


def numbers(data: object) -> Iterator[float]:
    if isinstance(data, dict):
        for value in data.values():
            yield from numbers(value)
    elif isinstance(data, list):
        for value in data:
            yield from numbers(value)
    elif isinstance(data, (int, float)) and not isinstance(data, bool):
        yield float(data)


@pytest.mark.parametrize("name", NAMES)
def test_page_holds_the_data_that_json_prints(pages, name):
    path, data = pages[name]
    (embedded,) = re.findall(r'id="data">(.*)</script>', path.read_text())
    assert json.loads(embedded) == json.loads(as_json(data))


def test_position_table_says_what_the_data_say(pages):
    path, data = pages["batch"]
    header, *rows = Cells(path.read_text()).tables[0]
    assert [text for text, _ in header][:4] == ["position", "pigs", "share", "95 %"]
    for row, expected in zip(rows, data["positions"], strict=True):
        values = [value for _, value in row]
        assert values[1:4] == [expected["pigs"], expected["share"], expected["interval"][0]]
        assert row[1][0] == f"{expected['pigs']:,}"
        assert row[2][0] == f"{100 * expected['share']:.2f} %"
        assert values[4] == expected.get("published_share")
        assert values[6] == expected.get("difference")


UNLISTED = {"x from, cm", "y from, cm", "standard deviations", "candidate", "round"}


@pytest.mark.parametrize("name", NAMES)
def test_every_number_of_a_table_is_one_of_the_data(pages, name):
    """But for numbers of rows, corners of the map's squares, and residuals of pairs."""
    path, data = pages[name]
    known = set(numbers(data))
    tables = Cells(path.read_text()).tables
    seen = 0
    for header, *rows in tables:
        columns = [text for text, _ in header]
        for row in rows:
            for column, (_, value) in zip(columns, row, strict=True):
                if value is None or column in UNLISTED:
                    continue
                assert value in known, (columns, value)
                seen += 1
    assert seen > (100 if name in ("comparison", "die") else 300)


@pytest.mark.parametrize("name", NAMES)
def test_page_needs_no_other_file_and_is_small(pages, name):
    text = pages[name][0].read_text()
    assert len(text.encode()) < 5_000_000
    links = re.findall(r'(?:src|href)="([^"#][^"]{0,9})', text)
    assert all(link.startswith("data:") for link in links), links
    assert not re.search(r"@import|url\((?!#)", text)


@pytest.mark.parametrize("name", NAMES)
def test_names_within_the_page_are_unique_and_every_reference_is_met(pages, name):
    text = pages[name][0].read_text()
    names = re.findall(r'\bid="([^"]+)"', text)
    assert len(names) == len(set(names))
    for reference in re.findall(r'(?:href="#|url\(#)([^")]+)', text):
        assert reference in names


def test_every_position_that_was_seen_is_pictured(pages):
    path, data = pages["batch"]
    captions = re.findall(r"<img[^>]*><figcaption>([^<]*)", path.read_text())
    assert len(captions) == len(data["pictures"])
    for row in data["positions"][:-1]:
        if row["pigs"]:
            name = row["position"].replace("side_", "side, ").replace("_", " ")
            assert any(caption.startswith(f"{name}; throw ") for caption in captions), name


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None:
        pytest.skip("no Chromium: install Debian's package chromium")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


def opened(browser, path: Path, width: int, scheme: str = "light"):
    """Open a page; refuse any request but for itself, and any word on the console."""
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    heard: list[str] = []
    page.on("console", lambda message: heard.append(message.text))
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.on(
        "request",
        lambda request: heard.append(request.url) if not request.url.startswith("data:") else None,
    )
    page.goto(path.as_uri())
    assert heard == [path.as_uri()]
    return page


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", NAMES)
def test_browser_shows_all_of_it(browser, pages, name, width):
    page = opened(browser, pages[name][0], width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(CUT_TEXTS) == []
    assert page.evaluate(OVERLAPS) == []
    assert page.evaluate("[...document.images].every((one) => one.naturalWidth > 0)")
    page.close()


CUT_TEXTS = """[...document.querySelectorAll("svg")].flatMap((svg) => {
  const frame = svg.getBoundingClientRect();
  return [...svg.querySelectorAll("text")].filter((text) => {
    const box = text.getBoundingClientRect();
    return box.left < frame.left - 1 || box.right > frame.right + 1 ||
           box.top < frame.top - 1 || box.bottom > frame.bottom + 1;
  }).map((text) => text.textContent);
})"""
OVERLAPS = """[...document.querySelectorAll("svg")].flatMap((svg) => {
  const level = [...svg.querySelectorAll("text")]
    .filter((text) => !/rotate\\((?!-?0)/.test(text.getAttribute("transform") || ""))
    .map((text) => [text.textContent, text.getBoundingClientRect()]);
  return level.flatMap(([one, a], i) => level.slice(i + 1)
    .filter(([, b]) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
                       Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3)
    .map(([other]) => one + " / " + other));
})"""


def test_drawings_and_paper_follow_light_and_dark(browser, pages):
    found = {}
    for scheme in ("light", "dark"):
        page = opened(browser, pages["batch"][0], 1200, scheme)
        found[scheme] = page.evaluate(
            """[getComputedStyle(document.body).backgroundColor,
                getComputedStyle(document.querySelector("svg text")).fill]"""
        )
        page.close()
    for scheme, (paper, ink) in found.items():
        bright = [np.mean([int(part) for part in re.findall(r"\d+", one)]) for one in (paper, ink)]
        assert (bright[0] > 200 > 100 > bright[1]) == (scheme == "light"), found
        assert (bright[0] < 60 < 150 < bright[1]) == (scheme == "dark"), found


def test_tables_sort_by_number_and_by_name(browser, pages):
    page = opened(browser, pages["batch"][0], 1200)
    table = page.locator("table").first
    pigs = [
        int(text.replace(",", "")) for text in table.locator("td:nth-child(2)").all_inner_texts()
    ]
    head = table.locator("thead button")
    head.nth(1).click()
    ascending = table.locator("td:nth-child(2)").all_inner_texts()
    assert [int(text.replace(",", "")) for text in ascending] == sorted(pigs)
    head.nth(1).click()
    assert table.locator("td:nth-child(2)").all_inner_texts() == ascending[::-1]
    head.nth(0).click()
    names = table.locator("tbody th").all_inner_texts()
    assert names == sorted(names)
    assert table.locator("th[aria-sort=ascending]").inner_text() == "position"
    page.close()


def test_print_opens_the_numbers_that_fit_on_paper(browser, pages):
    page = opened(browser, pages["batch"][0], 720)
    closed = page.locator("details:not([open])")
    before = closed.count()
    assert before > 1
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    (left,) = closed.locator("caption").all_text_contents()
    assert left.startswith("Pigs in squares"), "hundreds of rows"
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") <= 720
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert closed.count() == before
    page.close()
