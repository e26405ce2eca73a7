"""MiniLM's embeddings by others: sentence-transformers, transformers, onnxruntime. Not our code."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

Vectors = npt.NDArray[np.float32]
Embed = Callable[[Sequence[str]], Vectors]
SENTENCE, POOLED, ONNX, ONNX8 = (
    "sentence-transformers", "transformers and pooling", "onnxruntime f32", "onnxruntime int8",
)  # fmt: skip
MOST_TOKENS = 256
NEEDS = {
    SENTENCE: ("sentence_transformers",),
    POOLED: ("transformers",),
    ONNX: ("transformers", "onnx", "onnxruntime"),
    ONNX8: ("transformers", "onnx", "onnxruntime"),
}


def sentence_transformers(folder: Path) -> Embed:
    """encode, as its documentation calls it."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(folder), device="cpu")

    def run(texts: Sequence[str]) -> Vectors:
        made: Vectors = model.encode(list(texts), normalize_embeddings=True, show_progress_bar=False)
        return made

    return run


def pooled(folder: Path) -> Embed:
    """The lines of the model's page: padded to the longest, mean over tokens, length 1."""
    from transformers import BertModel

    model, tokenize = BertModel.from_pretrained(folder, add_pooling_layer=False).eval(), _tokenizer(folder)

    @torch.no_grad()
    def run(texts: Sequence[str]) -> Vectors:
        ids, mask = (torch.from_numpy(one) for one in tokenize(texts))
        return _means(model(input_ids=ids, attention_mask=mask).last_hidden_state.numpy(), mask.numpy())

    return run


def onnxruntime(folder: Path, into: Path, *, int8: bool = False) -> Embed:
    """The same model exported to `into` and run on one thread; int8 quantises its products' weights."""
    import onnxruntime as runtime

    path = _quantised(_exported(folder, into)) if int8 else _exported(folder, into)
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    session = runtime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    tokenize = _tokenizer(folder)

    def run(texts: Sequence[str]) -> Vectors:
        ids, mask = tokenize(texts)
        (hidden,) = session.run(None, {"input_ids": ids, "attention_mask": mask})
        return _means(hidden, mask)

    return run


class _Hidden(torch.nn.Module):
    """The model as a graph of two inputs and one output."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        hidden: torch.Tensor = self.model(input_ids, attention_mask=attention_mask).last_hidden_state
        return hidden


def _exported(folder: Path, into: Path) -> Path:
    from transformers import BertModel

    path = into / "minilm.onnx"
    if path.exists():
        return path
    model = BertModel.from_pretrained(folder, add_pooling_layer=False, attn_implementation="eager").eval()
    example = torch.ones(2, 8, dtype=torch.long)
    axes = {0: "batch", 1: "tokens"}
    torch.onnx.export(
        _Hidden(model), (example, example), str(path), dynamo=False, opset_version=17,
        input_names=["input_ids", "attention_mask"], output_names=["hidden"],
        dynamic_axes={"input_ids": axes, "attention_mask": axes, "hidden": axes},
    )  # fmt: skip
    return path


def _quantised(path: Path) -> Path:
    from onnxruntime.quantization import QuantType, quantize_dynamic

    small = path.with_name("minilm8.onnx")
    quantize_dynamic(str(path), str(small), weight_type=QuantType.QInt8)
    return small


def _tokenizer(folder: Path) -> Callable[[Sequence[str]], tuple[Any, Any]]:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(MOST_TOKENS)
    tokenizer.enable_padding()

    def run(texts: Sequence[str]) -> tuple[Any, Any]:
        found = tokenizer.encode_batch(list(texts))
        return np.array([one.ids for one in found]), np.array([one.attention_mask for one in found])

    return run


def _means(hidden: Vectors, mask: Any) -> Vectors:
    weights = mask[..., None].astype(np.float32)
    means = (hidden * weights).sum(axis=1) / weights.sum(axis=1)
    normed: Vectors = means / np.linalg.norm(means, axis=1, keepdims=True)
    return normed
