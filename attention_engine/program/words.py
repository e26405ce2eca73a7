"""The operations of the language: what each takes by name, what plain arguments mean. Runs nothing."""

from dataclasses import dataclass

AXIS, SIZE, COUNT, STEP, NUMBER = "axis", "size", "count", "step", "number"
"""What a plain number means: an axis; a size; how many or how far; a stride; a number to compute with."""


@dataclass(frozen=True)
class Operation:
    """Keywords an operation takes, and the roles of its positional arguments; the last role repeats."""

    keywords: tuple[str, ...] = ()
    roles: tuple[str, ...] = (AXIS,)
    tensors: int = 0
    """Leading positional arguments that are tensors where the operation is called as a function."""

    def role(self, place: int, *, method: bool) -> str:
        """The role of a positional argument; a method's tensor stands before the dot."""
        place = place + 1 if method else place
        return NUMBER if place < self.tensors else self.roles[min(place - self.tensors, len(self.roles) - 1)]


def _on(*roles: str, keywords: str = "", tensors: int = 1) -> Operation:
    return Operation(tuple(keywords.split()), roles or (AXIS,), tensors)


SHARED = {
    "reshape": _on(SIZE, keywords="shape"),
    "permute": _on(keywords="dims"),
    "transpose": _on(keywords="dim0 dim1"),
    "swapaxes": _on(keywords="axis0 axis1"),
    "swapdims": _on(keywords="dim0 dim1"),
    "movedim": _on(keywords="source destination"),
    "moveaxis": _on(keywords="source destination"),
    "unsqueeze": _on(keywords="dim"),
    "squeeze": _on(keywords="dim"),
    "flatten": _on(keywords="start_dim end_dim"),
    "unflatten": _on(AXIS, SIZE, keywords="dim sizes"),
    "broadcast_to": _on(SIZE, keywords="size"),
    "tile": _on(COUNT, keywords="dims"),
    "repeat_interleave": _on(COUNT, AXIS, keywords="repeats dim"),
    "chunk": _on(COUNT, AXIS, keywords="chunks dim"),
    "split": _on(COUNT, AXIS, keywords="split_size split_size_or_sections dim"),
    "unbind": _on(keywords="dim"),
    "select": _on(AXIS, COUNT, keywords="dim index"),
    "narrow": _on(AXIS, COUNT, keywords="dim start length"),
    "roll": _on(COUNT, AXIS, keywords="shifts dims"),
    "flip": _on(keywords="dims"),
    "clone": _on(),
    "matmul": _on(NUMBER, keywords="other", tensors=2),
    "mm": _on(NUMBER, tensors=2),
    "bmm": _on(NUMBER, tensors=2),
    "outer": _on(NUMBER, tensors=2),
    "mul": _on(NUMBER, keywords="other"),
    "div": _on(NUMBER, keywords="other"),
    "add": _on(NUMBER, keywords="other"),
    "sub": _on(NUMBER, keywords="other"),
    "pow": _on(NUMBER, keywords="exponent"),
    "softmax": _on(keywords="dim dtype"),
    "sum": _on(keywords="dim keepdim"),
    "mean": _on(keywords="dim keepdim"),
    "amax": _on(keywords="dim keepdim"),
    "masked_fill": _on(NUMBER, keywords="mask value", tensors=2),
    "tril": _on(COUNT, keywords="diagonal"),
    "triu": _on(COUNT, keywords="diagonal"),
    **{name: _on() for name in ("sqrt", "rsqrt", "sin", "cos", "exp", "neg", "logical_not", "numel", "t")},
}
"""As a method of a tensor and as torch.NAME alike."""

METHODS = {
    **SHARED,
    "view": _on(SIZE),
    "expand": _on(SIZE),
    "repeat": _on(COUNT),
    "expand_as": _on(NUMBER, tensors=2),
    "view_as": _on(NUMBER, tensors=2),
    "reshape_as": _on(NUMBER, tensors=2),
    "contiguous": _on(),
    "size": _on(keywords="dim"),
    "dim": _on(),
    **{name: _on() for name in ("bool", "float", "double", "long")},
}

_TORCH = {
    **SHARED,
    "stack": _on(keywords="dim"),
    "cat": _on(keywords="dim"),
    "concat": _on(keywords="dim"),
    "concatenate": _on(keywords="dim"),
    "einsum": _on(NUMBER, tensors=8),
    "where": _on(NUMBER),
    "tensor": _on(NUMBER, tensors=0, keywords="dtype device"),
    "arange": _on(COUNT, COUNT, STEP, tensors=0, keywords="dtype device"),
    "ones": _on(SIZE, tensors=0, keywords="dtype device"),
    "zeros": _on(SIZE, tensors=0, keywords="dtype device"),
    "full": _on(SIZE, NUMBER, tensors=0, keywords="dtype device"),
    "ones_like": _on(keywords="dtype device"),
    "zeros_like": _on(keywords="dtype device"),
}
_FUNCTIONAL = {
    "softmax": _on(keywords="dim dtype"),
    "linear": _on(NUMBER, tensors=3, keywords="bias"),
    "scaled_dot_product_attention": _on(
        NUMBER, tensors=3, keywords="attn_mask dropout_p is_causal scale enable_gqa"
    ),
}
_EINOPS = {"rearrange": _on(), "repeat": _on(), "reduce": _on()}
PATTERNS = frozenset(_EINOPS)
"""Operations that take an einops pattern, and any axis of it by name."""

FUNCTIONS: dict[str, Operation] = {
    **{f"torch.{name}": row for name, row in _TORCH.items()},
    **{
        f"{prefix}.{name}": row
        for prefix in ("F", "nn.functional", "torch.nn.functional")
        for name, row in _FUNCTIONAL.items()
    },
    **{f"{prefix}{name}": row for prefix in ("", "einops.") for name, row in _EINOPS.items()},
    "torch.nn.functional.scaled_dot_product_attention": _FUNCTIONAL["scaled_dot_product_attention"],
    "math.sqrt": _on(NUMBER, tensors=0),
    "float": _on(NUMBER, tensors=0),
    "int": _on(NUMBER, tensors=0),
}
CONSTANTS = (
    *("math.inf", "math.pi", "torch.inf", "torch.pi", "torch.bool", "torch.long", "torch.int64"),
    *("torch.float", "torch.float32", "torch.float64", "torch.double"),
)
ATTRIBUTES = ("T", "mT", "shape", "ndim", "device", "dtype")
ROOTS = frozenset(name.partition(".")[0] for name in (*FUNCTIONS, *CONSTANTS))
"""Names that no line may give another meaning."""
MODULES = frozenset(name.rpartition(".")[0] for name in (*FUNCTIONS, *CONSTANTS)) - {""}
SAID_FOR = {
    "masked_fill_": "masked_fill",
    "item": "the tensor itself, no number is taken out of it",
    "to": ".float() or .bool()",
    "view_": "view",
    "unsqueeze_": "unsqueeze",
    "mul_": "mul",
    "div_": "div",
}
