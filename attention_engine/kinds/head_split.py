"""head_split without tensors: its steps, their shapes and strides, and what their values would cost."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from attention_engine import configs, pipeline
from attention_engine.kinds import layer
from attention_engine.kinds.projection import Projection
from attention_engine.kinds.work import BESIDE_TENSORS, FLOAT32, Work
from attention_engine.scales import ScaleRule, rule_of

TITLE = "How d_model is split into heads and joined again"
PARAMETERS = (*layer.LAYER, layer.KEY_TOKENS, layer.NUM_KV_HEADS, layer.D_HEAD_V, layer.WEIGHTS)
DRAWN_PIECES = 512
"""Pieces (one head of one token) that a drawing moves: of many heads it draws the first tokens."""
DRAWN_ROWS = 8
WIRE_BYTES = 4096
"""Bytes of all tensors of a picture as sent: what a drawing of a few hundred pixels can show."""
SHARED_STORAGE = 3
"""Steps that read the numbers of the step before: view, transpose and, rearranged, merge."""
WIDTHS = ("batch", "tokens", "d_model", "num_heads", "d_head")
SIZES = (*WIDTHS, "num_kv_heads", "d_head_v", "key_tokens")


def complete(given: Mapping[str, Any]) -> dict[str, Any]:
    """Numbers of the layer with every width written out; weights by their law unless they are pinned."""
    filled = layer.complete_shared(given)
    filled["key_tokens"] = given.get("key_tokens", 0) or filled["tokens"]
    weights = given.get("weights", layer.WEIGHTS.default)
    filled["weights"] = "law" if weights == "auto" else weights
    return filled


def latent(parameters: Mapping[str, Any]) -> configs.ModelConfig | None:
    """The model whose K and V are made from a latent (MLA); None where they have heads of their own."""
    return None if parameters["num_kv_heads"] else layer.own(parameters)


def sizes(parameters: Mapping[str, Any]) -> dict[str, int]:
    """The sizes that `pipeline.trace` takes."""
    config = latent(parameters)
    ranks = {"kv_rank": config.kv_rank, "d_head_rope": config.d_head_rope} if config else {}
    return {name: parameters[name] for name in SIZES} | ranks


def steps(parameters: Mapping[str, Any]) -> tuple[pipeline.Step, ...]:
    """The steps by arithmetic."""
    return pipeline.head_split_steps(**sizes(parameters))


def kv_heads(parameters: Mapping[str, Any]) -> int:
    """Heads of K and V as they are read: all of them where each unpacks a latent for itself."""
    return int(parameters["num_kv_heads"] or parameters["num_heads"])


def attention(parameters: Mapping[str, Any]) -> str:
    """MHA, GQA, MQA or MLA."""
    shared, heads = parameters["num_kv_heads"], parameters["num_heads"]
    if not shared:
        return "MLA"
    return "MHA" if shared == heads else "MQA" if shared == 1 else "GQA"


def scale(parameters: Mapping[str, Any]) -> ScaleRule:
    """By what scores are divided: the model's own rule, else sqrt(d_head) (Vaswani et al. 2017)."""
    config = layer.own(parameters)
    return rule_of(config) if config else ScaleRule("sqrt", parameters["d_head"])


def shown_rows(parameters: Mapping[str, Any]) -> int:
    """Tokens that are drawn, and of which numbers are sent."""
    tokens, num_heads = int(parameters["tokens"]), int(parameters["num_heads"])
    return max(1, min(tokens, DRAWN_ROWS, DRAWN_PIECES // num_heads))


def tensor_bytes(parameters: Mapping[str, Any]) -> int:
    """Bytes of one tensor as sent, so that all together keep to WIRE_BYTES."""
    return WIRE_BYTES // (len(steps(parameters)) - SHARED_STORAGE)


def traced(parameters: Mapping[str, Any]) -> dict[str, int]:
    """The element followed at first: not the first of anything, where more than one is drawn."""
    width = min(parameters["d_head"], parameters["d_head_v"])
    return {
        "t": min(2, shown_rows(parameters) - 1),
        "h": parameters["num_heads"] // 2,
        "d": min(5, width - 1),
    }


def facts(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The steps as JSON and the numbers they follow from."""
    listed = [asdict(step) for step in steps(parameters)]
    for step in listed:
        step["step"] = step.pop("name")
    config, tuples = latent(parameters), ("axes", "shape", "strides")
    told = {
        **{name: parameters[name] for name in SIZES},
        "attention": attention(parameters),
        "scale": str(scale(parameters)),
        "traced": traced(parameters),
        "inner": parameters["num_heads"] * parameters["d_head"],
        "steps": [step | {name: list(step[name]) for name in tuples} for step in listed],
    }
    if config:
        told |= {"kv_rank": config.kv_rank, "d_head_rope": config.d_head_rope, "left_out": LEFT_OUT}
    return told


LEFT_OUT = (
    "The table gives no rank for q, which some such models also make from a short vector: one W_Q is drawn. "
    "Norms between the matrices are left out."
)


def projections(parameters: Mapping[str, Any]) -> Iterator[Projection]:
    """Every x @ W of the layer, W_O last."""
    d_model, heads, width, value = (
        parameters[name] for name in ("d_model", "num_heads", "d_head", "d_head_v")
    )
    here = parameters["batch"] * parameters["tokens"]
    there = parameters["batch"] * parameters["key_tokens"]
    pinned, config, shared = parameters["weights"] == "pinned", latent(parameters), kv_heads(parameters)

    def made(rows: int, width: int, heads: int, d_head: int, piece: int = 0) -> Projection:
        return Projection(rows=rows, width=width, heads=heads, d_head=d_head, pinned=pinned, piece=piece)

    yield made(here, d_model, heads, width)
    if config:
        rank, rope = config.kv_rank, config.d_head_rope
        yield from (made(there, d_model, 1, rank), made(there, d_model, 1, rope))
        yield from (made(there, rank, heads, width - rope), made(there, rank, heads, value))
    else:
        yield from (made(there, d_model, shared, width), made(there, d_model, shared, value))
    yield made(here, heads * value, 1, d_model, value)


def work(parameters: Mapping[str, Any]) -> Work:
    """Projections one after the other, scores and mixing; values where admitted.

    Beside what is kept (x, q, k, v and the latent) the peak holds the largest of: a projection being made,
    two maps of every head with the copies that a product of many items or shared heads takes, or the heads
    before and after merging with the root of W_O's law. Shapes alone are run with weights on meta."""
    batch, tokens, d_model, num_heads, d_head = (parameters[name] for name in WIDTHS)
    keys, value, shared = parameters["key_tokens"], parameters["d_head_v"], kv_heads(parameters)
    *before, output = projections(parameters)
    scores, places = batch * num_heads * tokens * keys, batch * keys
    x = batch * tokens * d_model + (places * d_model if keys != tokens else 0)
    joined = 2 * num_heads * (batch * tokens + places) * d_head if latent(parameters) else 0
    kept = x + sum(one.made for one in before) + joined
    copied = before[0].made + places * shared * (d_head + value)
    merging = FLOAT32 * (2 * output.rows * output.width + output.made) + output.passing_bytes
    passing = max(
        merging,
        FLOAT32 * (2 * scores + copied + output.rows * output.width),
        *(one.passing_bytes for one in before),
    )
    weights = max(one.width * one.heads * one.d_head for one in (*before, output))
    return Work(
        values="optional",
        largest=max(
            scores, weights, x, output.made, *(one.made for one in before), output.rows * output.width
        ),
        flops=sum(one.flops for one in (*before, output)) + 2 * scores * (d_head + value),
        peak_bytes=FLOAT32 * kept + passing + BESIDE_TENSORS,
        wire_bytes=tensor_bytes(parameters),
        sizes={
            "batch": batch,
            "tokens": max(tokens, keys),
            "num_heads": num_heads,
            "d_head": d_head,
            "d_head_v": value,
        },
    )
