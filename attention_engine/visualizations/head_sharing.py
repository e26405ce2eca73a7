"""The same queries under MHA, GQA, MQA and MLA: who reads what, how far outputs move. Knows no learner."""

from collections.abc import Iterator, Mapping
from typing import Any

import torch

from attention_engine.device import chosen_device
from attention_engine.encoding import encode
from attention_engine.frames import Cell, Frame, Table
from attention_engine.kinds import head_sharing as kind
from attention_engine.kinds.kv.schemes import Scheme, grouped_numbers
from attention_engine.kinds.operations import many
from attention_engine.kinds.sharing.words import NAMES, sentence
from attention_engine.kinds.sharing.work import ranks
from attention_engine.spec import VisualizationSpec
from attention_engine.visualizations._names import labels
from attention_engine.visualizations.sharing import kv
from attention_engine.visualizations.sharing import words as told
from attention_engine.visualizations.sharing.answer import answer_frame
from attention_engine.visualizations.sharing.layer import Layer, layer_of
from attention_engine.visualizations.sharing.words import Variant

DIGITS = 4
Numbers = Mapping[str, Any]


def frames(spec: VisualizationSpec) -> Iterator[Frame]:
    """answer where a number was answered, then mha, gqa, mqa, mla, compare and maps."""
    numbers = dict(spec.parameters) | {"d_head_rope": kind.rope(spec.parameters)}
    if numbers["answer_kv_heads"]:
        yield answer_frame(numbers)
    yield from Sharing(layer_of(spec, chosen_device()), numbers).frames()


class Sharing:
    """One layer's queries, its own output, and what each scheme makes of them."""

    def __init__(self, layer: Layer, numbers: Numbers) -> None:
        self.layer, self.numbers = layer, numbers
        self.heads = len(layer.queries.q)
        self.own_pairs = len(layer.pairs.k)
        self.own = kv.attended(layer.queries, layer.pairs)
        self.basis = kv.basis_of(layer.pairs, self.own.maps)
        self.maps: dict[str, torch.Tensor] = {}
        self.moved: dict[str, float] = {}

    def frames(self) -> Iterator[Frame]:
        """One after another, each as soon as it is computed."""
        for scheme in kind.schemes(self.numbers):
            yield self._scheme(scheme)
        yield self._compare()
        yield self._maps()

    def _attended(self, pairs: kv.Pairs) -> kv.Attended:
        return kv.attended(self.layer.queries, pairs)

    def _grouped(self, groups: int) -> kv.Attended:
        return self._attended(kv.of_groups(self.layer.pairs, self.heads, groups))

    def _rebuilt(self, rank: int) -> kv.Attended:
        """By a latent; a layer whose own latent has that width keeps the K and V it came from."""
        if rank == self.layer.source.kv_rank:
            return self.own
        return self._attended(kv.of_latent(self.layer.pairs, self.basis, rank))

    def _scheme(self, scheme: Scheme) -> Frame:
        """What each query head reads under one scheme, and how far its output moves."""
        head = self.numbers["head"]
        made = self._grouped(scheme.kv_heads) if scheme.kv_heads else self._rebuilt(self.numbers["kv_rank"])
        errors = kv.errors_of_heads(made.output, self.own.output)
        self.maps[scheme.name] = made.maps[head].clone()  # a view would keep the maps of all heads
        self.moved[scheme.name] = float(errors[head])
        rounded = [round(float(error), DIGITS) for error in errors]
        return Frame(
            step=scheme.name,
            layout="grid",
            title=self._title(scheme),
            sentence=self._said(scheme, made),
            axes=("H",),
            shape=(self.heads,),
            strides=(1,),
            dtype="float32",
            values=tuple(rounded),
            table=Table(("query head", "reads", "output moved by"), tuple(self._rows(scheme, rounded))),
            stamp=dict(self.layer.stamp),
        )

    def _rows(self, scheme: Scheme, errors: list[float]) -> Iterator[tuple[Cell, ...]]:
        for head, error in enumerate(errors):
            pair = head * scheme.kv_heads // self.heads
            yield head, f"pair {pair}" if scheme.kv_heads else "the latent", error

    def _title(self, scheme: Scheme) -> str:
        heads = many(self.heads, "query head")
        if not scheme.kv_heads:
            return f"{heads}, one latent of {self.numbers['kv_rank']:,}"
        return f"{heads}, {many(scheme.kv_heads, 'pair')} of keys and values"

    def _said(self, scheme: Scheme, made: kv.Attended) -> str:
        own_latent = not scheme.kv_heads and made is self.own
        exact = bool(scheme.kv_heads or own_latent) and self._equal(made)
        parts = [sentence(scheme, self.numbers)]
        if own_latent:
            parts.append("The latent is the layer's own.")
        else:
            parts.append(told.made_of(scheme.name, own_pairs=self.own_pairs, groups=scheme.kv_heads))
        parts.append(told.moved(kv.relative_error(made.output, self.own.output), exact=exact))
        if not scheme.kv_heads and not own_latent:
            parts.append(self._rank_used())
        return " ".join(parts)

    def _equal(self, made: kv.Attended) -> bool:
        """Whether every map and output is the layer's own, bit by bit."""
        return torch.equal(made.maps, self.own.maps) and torch.equal(made.output, self.own.output)

    def _rank_used(self) -> str:
        tokens, rank = len(self.layer.tokens), self.numbers["kv_rank"]
        narrow = max(1, tokens // 4)
        small = self._latent_variant(narrow) if narrow < tokens else None
        return told.rank_used(rank, tokens=tokens, small=small)

    def _variant(self, name: str, numbers: int, made: kv.Attended) -> Variant:
        size = self.numbers["layers"] * numbers * self.numbers["bytes_per_value"]
        error = kv.relative_error(made.output, self.own.output)
        return Variant(name, numbers, size, error)

    def _latent_variant(self, rank: int) -> Variant:
        return self._variant(f"latent of {rank:,}", rank, self._rebuilt(rank))

    def _variants(self) -> Iterator[Variant]:
        """Every number of K/V heads that divides, most first; then latents of this sentence."""
        source = self.layer.source
        groups = [n for n in range(self.heads, 0, -1) if self.heads % n == 0]
        for count in groups:
            numbers = grouped_numbers(kv_heads=count, d_head=source.d_head, d_head_v=source.d_head_v)
            yield self._variant(many(count, "K/V head"), numbers, self._grouped(count))
        for rank in reversed(ranks(len(self.layer.tokens))):
            yield self._latent_variant(rank)

    def _compare(self) -> Frame:
        """How far each number of K/V heads, and each width of a latent, moves the output of all heads."""
        variants = list(self._variants())
        groups = self.numbers["num_kv_heads"]
        like = kv.likeness(self.own.maps, self.layer.queries.mask)
        alike = kv.within_and_between(like, groups)
        said = told.compare(variants, alike=alike, groups=groups, own_pairs=self.own_pairs, heads=self.heads)
        return Frame(
            step="compare",
            layout="series",
            title="How far sharing moves the output",
            sentence=f"{said} {self.layer.note}",
            axes=("variant",),
            shape=(len(variants),),
            strides=(1,),
            dtype="float32",
            values=tuple(round(one.error, DIGITS) for one in variants),
            table=Table(
                ("K and V", "numbers a token and layer", "bytes a token", "output moved by"),
                tuple((one.name, one.numbers, one.bytes, round(one.error, DIGITS)) for one in variants),
            ),
            stamp=dict(self.layer.stamp),
        )

    def _maps(self) -> Frame:
        """The followed head's weights under each scheme: the same query, other keys."""
        stacked = torch.stack(list(self.maps.values()))
        reference, body = encode(
            stacked.cpu().numpy(),
            role="maps",
            axes=("scheme", "T", "T"),
            encoding="u8sqrt",
            tril=self.layer.queries.mask is not None,
        )
        return Frame(
            step="maps",
            layout="grid",
            title=f"Query head {self.numbers['head']} under each scheme",
            sentence=told.maps(self.numbers["head"], self.moved, self.layer.note),
            axes=reference.axes,
            shape=reference.shape,
            strides=tuple(stacked.stride()),
            dtype="float32",
            table=self._map_table(stacked),
            tensors=(reference,),
            blobs=(body,),
            stamp=dict(self.layer.stamp),
        )

    def _map_table(self, stacked: torch.Tensor) -> Table:
        """Of each token the key it looks at most, by position, and with which weight, under each scheme."""
        best = stacked.max(dim=-1)
        columns = [f"{NAMES[step]} {what}" for step in self.maps for what in ("key", "weight")]
        rows = []
        for row, token in enumerate(labels(self.layer.tokens)):
            pairs = zip(best.indices[:, row].tolist(), best.values[:, row].tolist(), strict=True)
            rows.append((token, *(cell for key, weight in pairs for cell in (key, round(weight, 3)))))
        return Table(("query", *columns), tuple(rows))
