"""Programs that are equal, mutants of them that are not, and the sizes of the layers they are about."""

from dataclasses import dataclass

from attention_engine import program as language
from attention_engine.execution.compare import Question
from attention_engine.program import inputs
from attention_engine.program.inputs import Sizes

BERT = Sizes(B=2, T=4, K=4, H=12, H_kv=12, D=64, C=768)
GROUPED = Sizes(B=2, T=5, K=5, H=8, H_kv=2, D=16, C=128)
SQUARE = Sizes(B=2, T=8, K=8, H=8, H_kv=8, D=8, C=64)
GPT3 = Sizes(B=2, T=4, K=4, H=96, H_kv=96, D=128, C=12288)


@dataclass(frozen=True)
class Group:
    """A reference with programs equal to it, and hand-written ones that are not."""

    name: str
    reference: str
    equal: tuple[str, ...]
    wrong: tuple[str, ...] = ()
    sizes: Sizes = BERT


def question(text: str, reference: str, sizes: Sizes = BERT, seed: int = 0) -> Question:
    """A program beside a reference, both read and their names known."""
    program, right = language.read(text), language.read(reference)
    inputs.check(program)
    inputs.check(right)
    return Question(program, right, sizes, inputs.layout_of((right, program)), seed=seed)


SPLIT = Group(
    "split",
    "q.view(B, T, H, D).transpose(1, 2)",
    (
        "q.view(B, T, H, D).transpose(1, 2)",
        "q.view(B, T, H, D).transpose(-3, -2)",
        "q.view(B, T, H, D).permute(0, 2, 1, 3)",
        "q.reshape(B, T, H, D).permute((0, 2, 1, 3))",
        "q.reshape((B, T, H, -1)).swapaxes(1, 2)",
        "q.view(B, T, -1, D).movedim(2, 1)",
        "q.unflatten(-1, (H, D)).transpose(1, 2)",
        "q.unflatten(2, (H, -1)).movedim(1, 2)",
        "torch.stack(q.chunk(H, dim=-1), dim=1)",
        "torch.stack(q.split(D, dim=-1), dim=1)",
        "torch.stack(q.unflatten(-1, (H, D)).unbind(2), 1)",
        "rearrange(q, 'b t (h d) -> b h t d', h=H)",
        'rearrange(q, "b t (h d) -> b h t d", d=D)',
        "einops.rearrange(q, 'b t (h d) -> b h t d', h=12)",
        "q.view(2, 4, 12, 64).transpose(1, 2)",
        "q.reshape(2, 4, 12, 64).permute(0, 2, 1, 3).contiguous()",
        "b, t, d = q.shape\nq.view(b, t, H, d // H).transpose(1, 2)",
        "b, t, _ = q.size()\nout = q.view(b, t, num_heads, head_dim)\nout = out.transpose(1, 2)",
        "q.view(q.shape[0], q.shape[1], H, D).transpose(1, 2)",
        "q.view(q.shape[:-1] + (H, D)).transpose(1, 2)",
        "torch.transpose(q.view(batch, seq_len, n_heads, dh), 1, 2)",
        "torch.einsum('bthd->bhtd', q.view(B, T, H, D))",
        "q.mT.reshape(B, H, D, T).mT",
        "q.transpose(1, 2).unflatten(1, (H, D)).transpose(2, 3)",
    ),
    (
        "q.view(B, H, T, D)",
        "q.view(2, 12, 4, 64)",
        "q.reshape(B, H, T, -1)",
        "q.view(B, T, H, D)",
        "q.view(B, T, D, H).permute(0, 3, 1, 2)",
        "q.view(B, T, D, H).transpose(1, 3)",
        "rearrange(q, 'b t (d h) -> b h t d', h=H)",
        "rearrange(q, 'b t (h d) -> b h d t', h=H)",
        "rearrange(q, 'b t (h d) -> b t h d', h=H)",
        "q.transpose(1, 2).reshape(B, H, T, D)",
        "q.transpose(1, 2).view(B, H, T, D)",
        "torch.stack(q.chunk(H, -1), 2)",
        "torch.stack(q.chunk(T, 1), 1)",
        "q.view(2, 4, 10, 76).transpose(1, 2)",
        "q.view(2, 4, 64, 12).transpose(1, 2)",
        "q.view(B, T, H, D).transpose(0, 2)",
        "q.view(B * H, T, D).view(B, H, T, D)",
        "q.view(B, T, H, D).reshape(B, H, T, D)",
        "q.unflatten(-1, (D, H)).transpose(1, 3)",
        "torch.einsum('bthd->bhtd', q.view(B, T, H, D).flip(2))",
    ),
)
MERGE = Group(
    "merge",
    "out.transpose(1, 2).reshape(B, T, H * D)",
    (
        "out.transpose(1, 2).contiguous().view(B, T, H * D)",
        "out.transpose(1, 2).flatten(2)",
        "out.permute(0, 2, 1, 3).reshape(B, T, -1)",
        "out.swapaxes(1, 2).flatten(-2)",
        "rearrange(out, 'b h t d -> b t (h d)')",
        "torch.cat(out.unbind(1), dim=-1)",
        "out.movedim(1, 2).reshape(2, 4, 768)",
        "torch.flatten(out.transpose(1, 2), 2, 3)",
        "b, h, t, d = out.shape\nout.transpose(1, 2).reshape(b, t, h * d)",
    ),
    (
        "out.reshape(B, T, H * D)",
        "out.reshape(2, 4, 768)",
        "out.view(B, T, H * D)",
        "out.transpose(1, 2).view(B, T, H * D)",
        "rearrange(out, 'b h t d -> b t (d h)')",
        "torch.cat(out.unbind(1), dim=1)",
        "out.transpose(2, 3).reshape(B, T, H * D)",
        "out.transpose(1, 3).reshape(B, T, H * D)",
        "out.flatten(1, 2)",
        "out.permute(0, 2, 3, 1).reshape(B, T, H * D)",
        "out.sum(1)",
    ),
)
SCORES = Group(
    "scores",
    "q @ k.transpose(-2, -1) / math.sqrt(D)",
    (
        "q @ k.mT / math.sqrt(D)",
        "(q / math.sqrt(D)) @ k.mT",
        "q @ k.transpose(2, 3) * D ** -0.5",
        "torch.matmul(q, k.transpose(-1, -2)) / D ** 0.5",
        "torch.einsum('bhqd,bhkd->bhqk', q, k) / math.sqrt(D)",
        "torch.einsum('bhid,bhjd->bhij', q / D ** 0.25, k / D ** 0.25)",
        "(k @ q.mT).mT / math.sqrt(D)",
        "q @ k.permute(0, 1, 3, 2) / 8",
        "(q * 0.125) @ k.mT",
        "q.div(math.sqrt(D)).matmul(k.mT)",
        "torch.bmm(q.reshape(B * H, T, D), k.reshape(B * H, T, D).mT).view(B, H, T, T) / math.sqrt(D)",
        "(q.unsqueeze(3) * k.unsqueeze(2)).sum(-1) / math.sqrt(D)",
        "q @ rearrange(k, 'b h t d -> b h d t') * q.shape[-1] ** -0.5",
        "q @ k.mT / torch.sqrt(torch.tensor(64.0))",
        "q @ k.mT * torch.tensor(D).rsqrt()",
    ),
    (
        "q @ k.mT",
        "q @ k.mT / D",
        "q @ k.mT / 64",
        "q @ k.mT / 12",
        "q @ k.mT * math.sqrt(D)",
        "q @ k.mT / math.sqrt(H)",
        "q @ k.mT / math.sqrt(d_model)",
        "q @ k.mT / math.sqrt(T)",
        "q @ k",
        "q @ k.T / math.sqrt(D)",
        "q @ k.transpose(1, 2) / math.sqrt(D)",
        "k @ q.mT / math.sqrt(D)",
        "q.mT @ k / math.sqrt(D)",
        "q * k / math.sqrt(D)",
        "(q / math.sqrt(D)) @ (k / math.sqrt(D)).mT",
        "torch.einsum('bhqd,bhkd->bhkq', q, k) / math.sqrt(D)",
        "torch.einsum('bhqd,bhqd->bhq', q, k) / math.sqrt(D)",
        "q @ v.mT / math.sqrt(D)",
    ),
)
ATTENTION = Group(
    "attention",
    "F.softmax(q @ k.transpose(-2, -1) / math.sqrt(D), dim=-1) @ v",
    (
        "F.scaled_dot_product_attention(q, k, v)",
        "F.scaled_dot_product_attention(q, k, v, scale=D ** -0.5)",
        "torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=False)",
        "(q @ k.mT / D ** 0.5).softmax(dim=3) @ v",
        "torch.softmax(q @ k.mT / math.sqrt(D), -1).matmul(v)",
        "s = q @ k.mT / math.sqrt(D)\ne = (s - s.amax(-1, keepdim=True)).exp()\n"
        "(e / e.sum(-1, keepdim=True)) @ v",
        "scores = torch.einsum('bhqd,bhkd->bhqk', q, k) / math.sqrt(D)\nweights = scores.softmax(-1)\n"
        "torch.einsum('bhqk,bhkd->bhqd', weights, v)",
        "scores = q @ k.mT\nscores = scores / scores.shape[-1] * T / math.sqrt(D)\n"
        "out = F.softmax(scores, -1) @ v",
        "scores = q @ k.mT / 8\nattn = F.softmax(scores, dim=-1)\nattn @ v",
    ),
    (
        "F.softmax(q @ k.mT / math.sqrt(D), dim=-2) @ v",
        "F.softmax(q @ k.mT / math.sqrt(D), dim=1) @ v",
        "F.softmax(q @ k.mT / math.sqrt(D)) @ v",
        "F.softmax(q @ k.mT, dim=-1) @ v",
        "F.softmax(q @ k.mT, dim=-1) / math.sqrt(D) @ v",
        "F.softmax(q @ k.mT / D, dim=-1) @ v",
        "q @ k.mT / math.sqrt(D) @ v",
        "F.softmax(q @ k.mT / math.sqrt(D), dim=-1)",
        "F.softmax(q @ v.mT / math.sqrt(D), dim=-1) @ k",
        "F.softmax(k @ q.mT / math.sqrt(D), dim=-1) @ v",
        "v @ F.softmax(q @ k.mT / math.sqrt(D), dim=-1)",
        "F.softmax(q @ k.mT / math.sqrt(D) @ v, dim=-1)",
        "F.scaled_dot_product_attention(q, k, v, is_causal=True)",
        "F.scaled_dot_product_attention(q, k, v, scale=D ** 0.5)",
        "F.scaled_dot_product_attention(q, k, v, scale=1.0)",
        "F.scaled_dot_product_attention(k, q, v)",
        "F.scaled_dot_product_attention(q, v, k)",
        "s = q @ k.mT / math.sqrt(D)\ne = s.exp()\n(e / e.sum(-2, keepdim=True)) @ v",
        "s = q @ k.mT / math.sqrt(D)\ne = s.exp()\n(e / e.sum()) @ v",
        "F.softmax(q @ k.mT / math.sqrt(D), dim=-1).mT @ v",
    ),
)
CAUSAL = Group(
    "causal mask",
    "s = q @ k.mT / math.sqrt(D)\nlater = torch.ones(T, T).tril() == 0\n"
    "s.masked_fill(later, float('-inf')).softmax(-1) @ v",
    (
        "F.scaled_dot_product_attention(q, k, v, is_causal=True)",
        "F.scaled_dot_product_attention(q, k, v, attn_mask=mask)",
        "F.scaled_dot_product_attention(q, k, v, attn_mask=torch.ones(T, T, dtype=torch.bool).tril())",
        "s = q @ k.mT / math.sqrt(D)\n"
        "s = s.masked_fill(torch.triu(torch.ones(T, T), diagonal=1).bool(), -math.inf)\n"
        "F.softmax(s, dim=-1) @ v",
        "(q @ k.mT * D ** -0.5).masked_fill(~mask, float('-inf')).softmax(-1) @ v",
        "s = q @ k.mT / math.sqrt(D)\ntorch.where(mask, s, float('-inf')).softmax(-1) @ v",
        "s = q @ k.mT / math.sqrt(D)\n(s + torch.full((T, T), float('-inf')).triu(1)).softmax(-1) @ v",
        "i = torch.arange(T)\ns = q @ k.mT / math.sqrt(D)\n"
        "s.masked_fill(i[:, None] < i[None, :], float('-inf')).softmax(-1) @ v",
    ),
    (
        "s = q @ k.mT / math.sqrt(D)\n"
        "s.masked_fill(torch.ones(T, T).tril() == 1, float('-inf')).softmax(-1) @ v",
        "s = q @ k.mT / math.sqrt(D)\n"
        "s.masked_fill(torch.ones(T, T).triu() == 0, float('-inf')).softmax(-1) @ v",
        "s = q @ k.mT / math.sqrt(D)\n"
        "s.masked_fill(torch.ones(T, T).triu() == 1, float('-inf')).softmax(-1) @ v",
        "s = q @ k.mT / math.sqrt(D)\n"
        "s.masked_fill(torch.ones(T, T).tril(-1) == 0, float('-inf')).softmax(-1) @ v",
        "s = q @ k.mT / math.sqrt(D)\n"
        "s.masked_fill(torch.ones(T, T).tril(1) == 0, float('-inf')).softmax(-1) @ v",
        "s = q @ k.mT / math.sqrt(D)\ns.masked_fill(~mask, 0.0).softmax(-1) @ v",
        "s = q @ k.mT / math.sqrt(D)\ns.masked_fill(~mask, float('inf')).softmax(-1) @ v",
        "s = q @ k.mT / math.sqrt(D)\ns.softmax(-1).masked_fill(~mask, 0.0) @ v",
        "s = q @ k.mT / math.sqrt(D)\ns.masked_fill(~mask.mT, float('-inf')).softmax(-1) @ v",
        "s = q @ k.mT / math.sqrt(D)\ns.masked_fill(mask, float('-inf')).softmax(-1) @ v",
        "s = q @ k.mT / math.sqrt(D)\n(s * mask).softmax(-1) @ v",
        "(q @ k.mT).masked_fill(~mask, float('-inf')).softmax(-1) @ v",
        "F.scaled_dot_product_attention(q, k, v)",
        "F.scaled_dot_product_attention(q, k, v, attn_mask=~mask)",
        "F.scaled_dot_product_attention(q, k, v, attn_mask=mask.float())",
        "s = q @ k.mT / math.sqrt(D)\ns.masked_fill(~mask, float('-inf')).softmax(-2) @ v",
    ),
)
CACHE = Group(
    "append to the cache",
    "torch.cat([k_cache, k_new], dim=2)",
    (
        "torch.cat((k_cache, k_new), dim=-2)",
        "torch.concat([k_cache, k_new], 2)",
        "torch.cat([k_cache.mT, k_new.mT], -1).mT",
        "torch.cat([past_k, k_new], dim=2)",
        "torch.stack(k_cache.unbind(2) + k_new.unbind(2), dim=2)",
        "rearrange(torch.cat([rearrange(k_cache, 'b h t d -> t b h d'), "
        "rearrange(k_new, 'b h t d -> t b h d')]), 't b h d -> b h t d')",
    ),
    (
        "torch.cat([k_new, k_cache], dim=2)",
        "torch.cat([k_cache, k_new], dim=1)",
        "torch.cat([k_cache, k_new], dim=0)",
        "torch.cat([k_cache, k_new], dim=-1)",
        "torch.cat([k_cache, v_new], dim=2)",
        "torch.cat([k_cache, k_cache], dim=2)",
        "k_cache + k_new",
        "torch.stack([k_cache, k_new], dim=2)",
        "k_cache",
        "torch.cat([k_cache, k_new.mT], dim=2)",
        "torch.cat([k_cache[:, :, 1:], k_new], dim=2)",
    ),
)
DECODE = Group(
    "one token with a cache",
    "k = torch.cat([k_cache, k_new], dim=2)\nv = torch.cat([v_cache, v_new], dim=2)\n"
    "F.softmax(q_new @ k.mT / math.sqrt(D), dim=-1) @ v",
    (
        "F.scaled_dot_product_attention(q_new, torch.cat([k_cache, k_new], 2), torch.cat([v_cache, "
        "v_new], 2))",
        "s = torch.cat([q_new @ k_cache.mT, q_new @ k_new.mT], -1) / math.sqrt(D)\nw = s.softmax(-1)\n"
        "w[..., :-1] @ v_cache + w[..., -1:] @ v_new",
    ),
    (
        "F.scaled_dot_product_attention(q_new, k_cache, v_cache)",
        "F.scaled_dot_product_attention(q_new, torch.cat([k_cache, k_new], 2), torch.cat([v_new, "
        "v_cache], 2))",
        "k = torch.cat([k_cache, k_new], 2)\nv = torch.cat([v_cache, v_new], 2)\n"
        "F.scaled_dot_product_attention(q_new, k, v, is_causal=True)",
        "s = torch.cat([q_new @ k_cache.mT, q_new @ k_new.mT], -1) / math.sqrt(D)\nw = s.softmax(-1)\n"
        "w[..., :-1] @ v_cache",
    ),
)
KV_HEADS = Group(
    "heads of K repeated",
    "k.repeat_interleave(G, dim=1)",
    (
        "k.unsqueeze(2).expand(B, H_kv, G, T, D).reshape(B, H, T, D)",
        "k[:, :, None].expand(-1, -1, G, -1, -1).flatten(1, 2)",
        "k[:, :, None, :, :].repeat(1, 1, G, 1, 1).view(B, H, T, D)",
        "torch.repeat_interleave(k, H // H_kv, 1)",
        "k.repeat_interleave(num_heads // num_kv_heads, dim=1)",
        "repeat(k, 'b h t d -> b (h g) t d', g=G)",
        "einops.repeat(k, 'b h t d -> b (h n) t d', n=n_rep)",
        "k.repeat_interleave(4, dim=1)",
        "torch.stack([k, k, k, k], dim=2).reshape(2, 8, 5, 16)",
    ),
    (
        "k.repeat(1, G, 1, 1)",
        "torch.tile(k, (1, G, 1, 1))",
        "repeat(k, 'b h t d -> b (g h) t d', g=G)",
        "k.repeat_interleave(G, dim=2)",
        "k.repeat_interleave(G, dim=0)",
        "k.repeat_interleave(H, dim=1)",
        "k.repeat_interleave(H_kv, dim=1)",
        "k[:, None].expand(B, G, H_kv, T, D).reshape(B, H, T, D)",
        "k.unsqueeze(1).expand(B, G, H_kv, T, D).flatten(1, 2)",
        "k.unsqueeze(2).expand(B, H_kv, G, T, D)",
        "torch.cat([k, k, k, k], dim=1)",
        "k.expand(B, H, T, D)",
    ),
    GROUPED,
)
GQA = Group(
    "grouped-query attention",
    "k = k.repeat_interleave(G, dim=1)\nv = v.repeat_interleave(G, dim=1)\n"
    "F.scaled_dot_product_attention(q, k, v)",
    (
        "F.scaled_dot_product_attention(q, k, v, enable_gqa=True)",
        "q = q.view(B, H_kv, G, T, D)\ns = torch.einsum('bhgqd,bhkd->bhgqk', q, k) / math.sqrt(D)\n"
        "out = torch.einsum('bhgqk,bhkd->bhgqd', s.softmax(-1), v)\nout.reshape(B, H, T, D)",
        "s = q.unflatten(1, (H_kv, G)) @ k.unsqueeze(2).mT / math.sqrt(D)\n"
        "(s.softmax(-1) @ v.unsqueeze(2)).flatten(1, 2)",
    ),
    (
        "F.scaled_dot_product_attention(q, k.repeat(1, G, 1, 1), v.repeat(1, G, 1, 1))",
        "F.scaled_dot_product_attention(q, k.repeat_interleave(G, 1), v.repeat(1, G, 1, 1))",
        "F.scaled_dot_product_attention(q, k, v)",
        "s = q.unflatten(1, (G, H_kv)) @ k.unsqueeze(1).mT / math.sqrt(D)\n"
        "(s.softmax(-1) @ v.unsqueeze(1)).flatten(1, 2)",
    ),
    GROUPED,
)
LAYER = Group(
    "a layer from x to W_o",
    "q = (x @ W_q).view(B, T, H, D).transpose(1, 2)\nk = (x @ W_k).view(B, T, H, D).transpose(1, 2)\n"
    "v = (x @ W_v).view(B, T, H, D).transpose(1, 2)\no = F.scaled_dot_product_attention(q, k, v)\n"
    "o.transpose(1, 2).reshape(B, T, H * D) @ W_o",
    (
        "q, k, v = x @ W_q, x @ W_k, x @ W_v\nq = rearrange(q, 'b t (h d) -> b h t d', h=H)\n"
        "k = rearrange(k, 'b t (h d) -> b h t d', h=H)\nv = rearrange(v, 'b t (h d) -> b h t d', h=H)\n"
        "o = (q @ k.mT / math.sqrt(D)).softmax(-1) @ v\nrearrange(o, 'b h t d -> b t (h d)') @ W_o",
        "q = F.linear(x, W_q.T).unflatten(-1, (H, D))\nk = F.linear(x, W_k.T).unflatten(-1, (H, D))\n"
        "v = F.linear(x, W_v.T).unflatten(-1, (H, D))\n"
        "w = (torch.einsum('bqhd,bkhd->bhqk', q, k) / math.sqrt(D)).softmax(-1)\n"
        "F.linear(torch.einsum('bhqk,bkhd->bqhd', w, v).flatten(2), W_o.T)",
    ),
    (
        "q = (x @ W_q).view(B, H, T, D)\nk = (x @ W_k).view(B, H, T, D)\nv = (x @ W_v).view(B, H, T, D)\n"
        "F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(B, T, H * D) @ W_o",
        "q = (x @ W_q).view(B, T, H, D)\nk = (x @ W_k).view(B, T, H, D)\nv = (x @ W_v).view(B, T, H, D)\n"
        "F.scaled_dot_product_attention(q, k, v).reshape(B, T, H * D) @ W_o",
        "q = (x @ W_q).view(B, T, H, D).transpose(1, 2)\nk = (x @ W_k).view(B, T, H, D).transpose(1, 2)\n"
        "v = (x @ W_v).view(B, T, H, D).transpose(1, 2)\n"
        "F.scaled_dot_product_attention(q, k, v).reshape(B, T, H * D) @ W_o",
        "q = (x @ W_q).view(B, T, H, D).transpose(1, 2)\nk = (x @ W_k).view(B, T, H, D).transpose(1, 2)\n"
        "v = (x @ W_v).view(B, T, H, D).transpose(1, 2)\n"
        "F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(B, T, H * D)",
        "q = (x @ W_q.T).view(B, T, H, D).transpose(1, 2)\nk = (x @ W_k).view(B, T, H, D).transpose(1, 2)\n"
        "v = (x @ W_v).view(B, T, H, D).transpose(1, 2)\n"
        "F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(B, T, H * D) @ W_o",
    ),
)
ROTARY = Group(
    "rotary positions, half",
    "a, b = q.chunk(2, dim=-1)\nq * cos + torch.cat([-b, a], dim=-1) * sin",
    (
        "a, b = q[..., : D // 2], q[..., D // 2 :]\nq * cos + torch.cat((-b, a), -1) * sin",
        "turned = torch.cat([-q[..., D // 2 :], q[..., : D // 2]], dim=-1)\nturned * sin + q * cos",
        "speeds = 10000 ** (-torch.arange(0, D, 2) / D)\nangles = torch.outer(torch.arange(T), speeds)\n"
        "a, b = q.chunk(2, -1)\nc, s = angles.cos(), angles.sin()\n"
        "torch.cat([a * c - b * s, a * s + b * c], dim=-1)",
        "a, b = q.unflatten(-1, (2, D // 2)).unbind(-2)\nq * cos + torch.cat([-b, a], dim=-1) * sin",
        "a, b = q.split(32, dim=-1)\nq * cos + torch.cat([-b, a], dim=-1) * sin",
    ),
    (
        "a, b = q.chunk(2, dim=-1)\nq * cos + torch.cat([b, -a], dim=-1) * sin",
        "a, b = q.chunk(2, dim=-1)\nq * cos + torch.cat([a, -b], dim=-1) * sin",
        "a, b = q.chunk(2, dim=-1)\nq * cos + torch.cat([-b, a], dim=-2) * sin",
        "a, b = q.chunk(2, dim=-1)\nq * sin + torch.cat([-b, a], dim=-1) * cos",
        "a, b = q[..., 0::2], q[..., 1::2]\nq * cos + torch.cat([-b, a], dim=-1) * sin",
        "a, b = q[..., 0::2], q[..., 1::2]\nq * cos + torch.stack([-b, a], dim=-1).flatten(-2) * sin",
        "q * cos + q * sin",
        "q * cos",
        "speeds = 10000 ** (-torch.arange(0, D, 2) / D)\nangles = torch.outer(torch.arange(T), speeds)\n"
        "a, b = q.chunk(2, -1)\nc, s = angles.cos(), angles.sin()\n"
        "torch.cat([a * c + b * s, b * c - a * s], dim=-1)",
        "speeds = 10000 ** (-torch.arange(0, D, 2) / D)\nangles = torch.outer(torch.arange(H), speeds)\n"
        "a, b = q.chunk(2, -1)\nc, s = angles.cos(), angles.sin()\n"
        "torch.cat([a * c - b * s, a * s + b * c], dim=-1)",
        "speeds = 1000 ** (-torch.arange(0, D, 2) / D)\nangles = torch.outer(torch.arange(T), speeds)\n"
        "a, b = q.chunk(2, -1)\nc, s = angles.cos(), angles.sin()\n"
        "torch.cat([a * c - b * s, a * s + b * c], dim=-1)",
    ),
)
FUSED = Group(
    "K out of a fused projection",
    "q, k, v = qkv.chunk(3, dim=-1)\nk.view(B, T, H, D).transpose(1, 2)",
    (
        "qkv.view(B, T, 3, H, D)[:, :, 1].transpose(1, 2)",
        "qkv.view(B, T, 3, H, D).permute(2, 0, 3, 1, 4)[1]",
        "rearrange(qkv, 'b t (n h d) -> n b h t d', n=3, h=H)[1]",
        "q, k, v = qkv.split(H * D, dim=-1)\nk.unflatten(-1, (H, D)).transpose(1, 2)",
        "qkv[..., H * D : 2 * H * D].reshape(B, T, H, D).transpose(1, 2)",
        "q, k, v = qkv.view(2, 4, 3, 12, 64).unbind(2)\nk.transpose(1, 2)",
    ),
    (
        "q, k, v = qkv.chunk(3, dim=-1)\nq.view(B, T, H, D).transpose(1, 2)",
        "q, k, v = qkv.chunk(3, dim=-1)\nk.reshape(B, H, T, D)",
        "qkv.view(B, T, H, 3, D)[:, :, :, 1].transpose(1, 2)",
        "qkv.view(B, T, H, D, 3)[..., 1].transpose(1, 2)",
        "qkv.view(B, T, 3, H, D)[:, :, 2].transpose(1, 2)",
        "rearrange(qkv, 'b t (h n d) -> n b h t d', n=3, h=H)[1]",
        "rearrange(qkv, 'b t (n h d) -> n b h t d', n=3, h=H)[0]",
        "q, k, v = qkv.view(2, 4, 12, 3, 64).unbind(3)\nk.transpose(1, 2)",
    ),
)
GROUPS = (
    *(SPLIT, MERGE, SCORES, ATTENTION, CAUSAL, CACHE, DECODE),
    *(KV_HEADS, GQA, LAYER, ROTARY, FUSED),
)
SAME_AFTER_ALL = {
    "b, t, d = k.shape\nq.view(b, t, H, d // H).transpose(1, 2)": "k has the shape of q here",
    "b, t, _ = k.size()\nout = q.view(b, t, num_heads, head_dim)\n"
    "out = out.transpose(1, 2)": "k has the shape of q",
    "q.view(k.shape[0], q.shape[1], H, D).transpose(1, 2)": "k has the shape of q here",
    "q.view(q.shape[0], k.shape[1], H, D).transpose(1, 2)": "k has the shape of q here",
    "q.view(k.shape[:-1] + (H, D)).transpose(1, 2)": "k has the shape of q here",
    "q @ rearrange(k, 'b h t d -> b h d t') * k.shape[-1] ** (-0.5)": "k is as wide as q",
    "s = q @ k.mT / math.sqrt(D)\ne = (s + s.amax(-1, keepdim=True)).exp()\n"
    "e / e.sum(-1, keepdim=True) @ v": "softmax does not see a number added to a whole row",
    "k[:, :, None, :, :].repeat(1, 1, 1, G, 1).view(B, H, T, D)": "T rows G times over are G heads of T rows",
    "q = q.view(B, H_kv, T, G, D)\ns = torch.einsum('bhgqd,bhkd->bhgqk', q, k) / math.sqrt(D)\n"
    "out = torch.einsum('bhgqk,bhkd->bhgqd', s.softmax(-1), v)\n"
    "out.reshape(B, H, T, D)": "each row attends by itself, and the reshape puts it back",
}
"""Generated mutants that compute the same, each with the reason."""
