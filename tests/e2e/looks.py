"""The widths and themes that a page is looked at in. Knows no page."""

import os

CHECKED_BY_AXE = [(1440, "light"), (375, "dark")]
"""Both widths and both themes, in half the time; `THOROUGH=1 make e2e` looks at all four."""
LOOKS = CHECKED_BY_AXE + ([(1440, "dark"), (375, "light")] if os.environ.get("THOROUGH") else [])
GRAVE = ("serious", "critical")
"""Findings of axe that fail a test."""
