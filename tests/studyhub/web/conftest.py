"""The shelf as shipped, and Ben at a browser without a script."""

import re
from dataclasses import dataclass
from html import unescape
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from attention_engine import tasks
from attention_engine.store import FrameStore
from studyhub.delivery import pictures, publisher
from tests.shipped import shipped_content


@pytest.fixture
def shelf(db: None) -> None:
    """The shipped decks."""
    shipped_content()


@pytest.fixture
def store(settings: Any, tmp_path: Any) -> FrameStore:
    """A store and a broker of this test's own."""
    settings.FRAMES_URL = f"sqlite:///{tmp_path / 'frames.sqlite3'}"
    settings.CELERY_BROKER_URL = f"studyhubsqlite:///{tmp_path / 'broker.sqlite3'}"
    return pictures.store()


@pytest.fixture
def quick(store: FrameStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that draws each picture at once, in this process."""
    store.announce("here")
    monkeypatch.setattr(publisher, "send", lambda digest, _queue: tasks.draw(store, digest) or True)


@dataclass
class Browser:
    """A browser without a script: it opens pages and sends the forms that are on them."""

    client: Client

    def open(self, address: str) -> HttpResponse:
        """A page, redirects followed."""
        return self.client.get(address, follow=True)

    def send(self, page: HttpResponse, action: str, **values: Any) -> HttpResponse:
        """The form of this page that goes to `action`, its hidden fields as they are."""
        sent = {name.replace("__", "-"): value for name, value in values.items()}
        return self.client.post(action, {**self.hidden(page, action), **sent}, follow=True)

    def answer(self, card: str, **values: Any) -> HttpResponse:
        """Opens one card and answers it."""
        return self.send(self.open(f"/study/?card={card}"), "/study/", **values)

    def rate(self, page: HttpResponse, rating: int) -> HttpResponse:
        """Presses one of the four buttons under a result."""
        return self.send(page, "/study/rate/", rating=rating)

    def undo(self, page: HttpResponse) -> HttpResponse:
        """Presses Undo."""
        return self.send(page, "/study/undo/")

    @staticmethod
    def text(page: HttpResponse) -> str:
        """What the page says: tags out, blanks folded."""
        return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", page.content.decode())))

    @staticmethod
    def hidden(page: HttpResponse, action: str) -> dict[str, str]:
        """Hidden fields of the form with this action."""
        forms = re.findall(r"<form\b.*?</form>", page.content.decode(), re.DOTALL)
        form = next((one for one in forms if f'action="{action}"' in one), "")
        assert form, f"no form goes to {action}"
        fields = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form)
        return {name: unescape(value) for name, value in fields}


@pytest.fixture
def browser(shelf: None, ben: Any) -> Browser:
    """Ben, signed in."""
    client = Client()
    client.force_login(ben)
    return Browser(client)
