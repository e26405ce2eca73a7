"""Runs each kind of operation once: what torch imports at first use is loaded before a learner waits."""

from collections.abc import Iterator
from functools import cache

from attention_engine import program as language
from attention_engine.execution.compare import Question, judge
from attention_engine.program import inputs

PROGRAMS = (
    "torch.stack(q.chunk(H, dim=-1), dim=1)",
    "rearrange(q.view(B, T, H, D), 'b t h d -> b h t d').contiguous().flatten(2).unflatten(-1, (T, D))",
    "s = (x @ W_q).view(B, T, H, D).transpose(1, 2)\n"
    "s = torch.einsum('bhqd,bhkd->bhqk', s, s) / math.sqrt(D)\n"
    "s = s.masked_fill(~mask, float('-inf')).softmax(-1)\n"
    "torch.where(torch.ones(T, T).tril() == 0, s.sum(-1, keepdim=True) - s.mean(), s * 2)",
    "a, b = q.chunk(2, dim=-1)\nt = torch.outer(torch.arange(T), 10000 ** (-torch.arange(0, D, 2) / D))\n"
    "torch.cat([a * t.cos() - b * t.sin(), a.exp() + b.sqrt()], -1)",
    "k = repeat(k, 'b h t d -> b (h g) t d', g=G)\n"
    "F.scaled_dot_product_attention(q, k, v.repeat_interleave(G, 1))",
    "torch.bmm(q.flatten(0, 1), k.flatten(0, 1).mT)[:, 0].rsqrt()",
    "x @ x",
    "q // 2 % 2 ** k.pow(2)",
)
SIZES = inputs.Sizes(B=2, T=4, K=4, H=4, H_kv=4, D=8, C=32)


def warming() -> Iterator[str]:
    """Each program once it is judged; whoever takes them may stop between two. All take seconds at first."""
    for text in PROGRAMS:
        program = language.read(text)
        judge(Question(program, program, SIZES, inputs.layout_of((program,))))
        yield text


@cache
def warm() -> None:
    """All of it, once in a process; a second call does nothing."""
    for _text in warming():
        pass
