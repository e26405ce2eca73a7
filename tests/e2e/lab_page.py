"""One learner's page of the lab, with the trained models where this machine has them. Knows no kind."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Locator, expect

from tests.e2e.conftest import Watched, new_learner
from tests.e2e.looks import LOOKS, MOST_NODES, WIDE, grave
from tests.serving import ROOT, Service


@contextmanager
def trained_models(service: Service) -> Iterator[None]:
    """The service finds the weights of this checkout; without them random layers stand in."""
    weights = service.var / "models"
    linked = not weights.exists()
    if linked:
        weights.symlink_to(ROOT / "var" / "models")
    yield
    if linked:
        weights.unlink()


class LabPage:
    """A signed-in learner who opens pictures of the lab."""

    def __init__(self, browser: Browser, service: Service, **context: Any) -> None:
        self.service = service
        opened = browser.new_context(viewport={"width": 1440, "height": 950}, **context)
        self.watched, self.page = Watched(opened), opened.new_page()
        new_learner(self.page, service, f"learner-{uuid.uuid4().hex[:12]}")

    def go(self, kind: str, query: str) -> Locator:
        """The picture of this address, drawn."""
        self.page.goto(f"{self.service.url}/lab/{kind}/?{query}")
        return self.drawn()

    def drawn(self) -> Locator:
        """The picture, once the worker has drawn it all."""
        expect(self.page.locator("study-picture[data-phase=drawn]")).to_be_visible(timeout=60_000)
        return self.page.locator("study-picture")

    def stands(self, picture: Locator, shots: Path, name: str) -> None:
        """It is readable in every look: few nodes, no sideways scroll, nothing that axe finds grave."""
        for width, theme in LOOKS:
            self.page.set_viewport_size({"width": width, "height": 950})
            self.page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
            self.page.wait_for_timeout(400)  # colours of buttons fade
            picture.screenshot(path=shots / f"{name}-{width}-{theme}.png")
            assert picture.locator("*").count() <= MOST_NODES
            assert self.page.evaluate(WIDE) <= 0, (width, theme)
            assert grave(self.page) == [], (width, theme)
