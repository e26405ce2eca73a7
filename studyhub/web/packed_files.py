"""Serves the site's own scripts and styles gzipped. Packs them once as a process starts; knows no page.

WhiteNoise serves a packed file that stands beside its own, which a clean clone does not have: what zlib makes
differs between its versions, so packed files cannot be committed and compared."""

import gzip
import hashlib
import os
import tempfile
from pathlib import Path
from typing import Any

from django.conf import settings
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import StaticFile

SMALLEST = 1000
PACKED = (".js", ".css", ".svg")


def packed(path: Path, into: Path) -> Path:
    """The gzipped file of these contents, named by their digest; written whole or not at all."""
    body = path.read_bytes()
    target = into / f"{hashlib.sha256(body).hexdigest()}.gz"
    if not target.exists():
        into.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=into, delete=False) as file:
            file.write(gzip.compress(body, compresslevel=9, mtime=0))
        os.replace(file.name, target)
    return target


class PackedFilesMiddleware(WhiteNoiseMiddleware):  # type: ignore[misc]
    """WhiteNoise, with a packed sibling for each of our own scripts and styles over 1 kB."""

    def get_static_file(self, path: str, url: str, stat_cache: Any = None) -> Any:
        """The file as WhiteNoise serves it; ours with a gzipped alternative."""
        plain = super().get_static_file(path, url, stat_cache=stat_cache)
        ours = url.startswith(f"{self.static_prefix}studyhub/") and path.endswith(PACKED)
        if self.autorefresh or not ours or os.path.getsize(path) < SMALLEST:
            return plain
        _, _, headers = plain.alternatives[-1]
        return StaticFile(path, headers, encodings={"gzip": str(packed(Path(path), settings.VAR / "packed"))})
