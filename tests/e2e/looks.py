"""The widths and themes that a page is looked at in, and what each look must hold. Knows no page."""

import os

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

CHECKED_BY_AXE = [(1440, "light"), (375, "dark")]
"""Both widths and both themes, in half the time; `THOROUGH=1 make e2e` looks at all four."""
LOOKS = CHECKED_BY_AXE + ([(1440, "dark"), (375, "light")] if os.environ.get("THOROUGH") else [])
GRAVE = ("serious", "critical")
"""Findings of axe that fail a test."""
MOST_NODES = 2000
WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
"""By how many px the page is wider than its window."""


def grave(page: Page) -> list[str]:
    """What axe finds on the page that nobody should meet."""
    found = Axe().run(page).response["violations"]
    return [f"{v['id']}: {v['nodes'][0]['html'][:160]}" for v in found if v["impact"] in GRAVE]
