"""Scripts and styles go packed to a browser that takes it, whole to one that does not."""

import gzip
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

SCRIPT = "studyhub/dist/app.js"
WHOLE = Path(str(finders.find(SCRIPT))).read_bytes()


def sent(**headers: str) -> tuple[dict[str, str], bytes, int]:
    response = Client(headers=headers).get(f"/static/{SCRIPT}")
    return dict(response.headers), b"".join(response.streaming_content), response.status_code  # type: ignore[attr-defined]


def test_a_browser_that_takes_gzip_gets_the_same_script_in_less_than_half_the_bytes() -> None:
    headers, body, _ = sent(accept_encoding="gzip, deflate, br")
    assert headers["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in headers["Vary"]
    assert int(headers["Content-Length"]) == len(body) < len(WHOLE) / 2
    assert gzip.decompress(body) == WHOLE
    assert headers["Content-Type"].startswith("text/javascript")


@pytest.mark.parametrize("taken", ["", "identity"])
def test_one_that_does_not_gets_it_whole(taken: str) -> None:
    headers, body, _ = sent(accept_encoding=taken)
    assert "Content-Encoding" not in headers
    assert body == WHOLE


def test_a_script_that_has_not_changed_is_not_sent_again() -> None:
    headers, _, _ = sent(accept_encoding="gzip")
    assert sent(accept_encoding="gzip", if_none_match=headers["ETag"])[1:] == (b"", 304)
