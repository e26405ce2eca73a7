"""What the frames of decode_cache say, in words made from their own numbers. Knows no weights."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from attention_engine.kinds import decode_cache as kind
from attention_engine.kinds.kv.cache_bytes import CacheSizes, mistake_of
from attention_engine.kinds.operations import many
from attention_engine.visualizations._names import weighed
from attention_engine.visualizations.decode.compare import Beside, Other, Recomputed
from attention_engine.visualizations.decode.run import Step

Numbers = Mapping[str, Any]
SIGNS = {"\n": "⏎", "\t": "⇥", "\r": ""}
LONGEST_TOKEN, LONGEST_TEXT = 24, 200
SINK = 0.3
"""Weight on the first token from which a sentence calls it a sink: three times what one of ten keys has."""


def shown(token: str) -> str:
    """A token as chips and tables have it: blanks and line ends seen, cut where it is long, never empty.

    A token that is part of a letter adds nothing to the text: "…"."""
    text = "".join(SIGNS.get(letter, letter) for letter in token)
    if text and not text.strip(" "):
        text = "␣" * len(text)
    return (text if len(text) <= LONGEST_TOKEN else f"{text[:LONGEST_TOKEN]}…") or "…"


def quoted(token: str) -> str:
    """A token in a sentence, without the blank that most begin with; a blank alone is seen."""
    return f"“{shown(token).lstrip(' ')}”"


def text_of(tokens: Sequence[str]) -> str:
    """Several tokens in a sentence."""
    text = "".join(SIGNS.get(letter, letter) for letter in "".join(tokens))
    return f"“{text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + '…'}”"


def bytes_held(sizes: CacheSizes, held: int, counted: int) -> str:
    """The formula with its numbers beside what was counted."""
    by_formula = held * sizes.bytes_per_token
    same = "to the byte what its storage holds" if counted == by_formula else f"its storage holds {counted:,}"
    return f"{held:,} × {sizes.bytes_per_token:,} = {by_formula:,} bytes, {same}."


def prompt(step: Step, sizes: CacheSizes, *, numbers: Numbers, cut: bool) -> str:
    """How many tokens were read, what they take, and where the last of them looks."""
    count = len(step.ids)
    each = f"One token leaves {sizes.formula} = {sizes.bytes_per_token:,} bytes"
    read = f"The prompt is read whole: {many(count, 'token')}, {bytes_held(sizes, count, step.cache.nbytes)}"
    if numbers["keep"] != "all":
        read += f" {keeping(numbers)}"
    only = f" Only its first {count:,} tokens are read." if cut else ""
    if numbers["keep"] == "all" and count > kind.MOST_RUN_TWICE:
        only += f" Beyond {kind.MOST_RUN_TWICE} tokens it is not run again without a cache."
    return f"{read}{only} {each} ({sizes.meaning}). {sink(step, numbers)}".strip()


def keeping(numbers: Numbers) -> str:
    """What stays from here on, and by which positions."""
    first = f"the first {many(numbers['sinks'], 'token')} and " if numbers["sinks"] else ""
    return (
        f"From here on only {first}the newest {numbers['window']:,} stay. What stays keeps the position its "
        "key was turned by; StreamingLLM numbers what it holds anew, to write on beyond the positions that a "
        "model knows."
    )


def sink(step: Step, numbers: Numbers) -> str:
    """The share of weight on the first token; called a sink where it is one."""
    where = f"layer {numbers['layer']}"
    if step.held[0] != 0:
        return f"The first token is evicted, so nothing in {where} can look at it."
    if len(step.held) == 1:
        return ""
    mean, head = step.sinks
    called = ", an attention sink" if mean >= SINK else ""
    return (
        f"In {where} this token sends {weighed(mean)} of its weight to the first one{called} (mean of the "
        f"heads; head {numbers['head']}: {weighed(head)})."
    )


def token(step: Step, text: str, sizes: CacheSizes, *, numbers: Numbers) -> str:
    """Which token came, how sure it was, what is held and where it looks."""
    return " ".join(part for part in (_chosen(step, text), _held(step, sizes), sink(step, numbers)) if part)


def _chosen(step: Step, text: str) -> str:
    if not len(step.before):
        return "A token without text is added."
    sure = f"p {weighed(math.exp(step.log_p))}, entropy {step.entropy:.2f} nats"
    return f"{quoted(text)} is the likeliest: {sure}."


def _held(step: Step, sizes: CacheSizes) -> str:
    return f"The cache holds {counted(len(step.held), step.position + 1)}: " + bytes_held(
        sizes, len(step.held), step.cache.nbytes
    )


def counted(held: int, seen: int) -> str:
    """ "27 tokens", or of how many where some are evicted."""
    return many(held, "token") if held == seen else f"{held:,} of {seen:,} tokens"


def answered(numbers: Numbers, sizes: CacheSizes, *, held: int, seen: int) -> str:
    """The learner's bytes beside those at the end; "" where none were given."""
    answer = numbers["answer_bytes"]
    if not answer:
        return ""
    right = held * sizes.bytes_per_token
    mistake = mistake_of(answer, sizes, held=held, seen=seen)
    if mistake == "right":
        return f"Your {answer:,} bytes are what is held."
    why = WHY.get(mistake, "").format(answer=answer, heads=sizes.num_heads, layers=sizes.layers)
    said = f"Your {many(answer, 'byte')} {'is' if answer == 1 else 'are'} not the {right:,} held."
    return f"{said} {why}".strip()


WHY = {
    "K only": "They count K and leave V out.",
    "query heads": "They count K and V for each of the {heads} query heads, where K/V heads alone are kept.",
    "one layer": "They count one layer of {layers}.",
    "one token": "They count one token.",
    "nothing evicted": "They count the evicted tokens too.",
    "4 bytes a number": "They count 4 bytes a number, where 2 are held.",
}


def title(step: str, text: str) -> str:
    """ "t3: “ Madrid”"; the step alone where no text came."""
    return f"{step}: {quoted(text)}" if text else step


def whole(found: Recomputed, *, cache: str, flops: tuple[int, int]) -> str:
    """That the cache changed nothing, as far as measured, and what it saved."""
    choice = "chooses the same tokens" if found.same else "would not choose the same tokens at every step"
    why = f", for the cache rounds K and V to {cache}" if cache not in {"", "float32"} else ""
    cached, all_again = flops
    return (
        f"Run again in one pass without a cache, the model {choice}; log-probabilities over the whole "
        f"vocabulary differ by at most {found.largest:.2g} nats{why}. The last token took {giga(cached)} "
        f"GFLOPs with the cache; all tokens again would take {giga(all_again)}, "
        f"{all_again / cached:.0f} times as many."
    )


def giga(flops: int) -> str:
    """Three digits."""
    return f"{flops / 1e9:.3g}"


def mean(numbers: Sequence[float]) -> float:
    """Of at least one number."""
    return sum(numbers) / len(numbers)


def perplexity(nats: Sequence[float]) -> str:
    """exp of the mean negative log-probability."""
    value = math.exp(-mean(nats))
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def evicted(rows: Sequence[Beside], other: Other, texts: tuple[Sequence[str], Sequence[str]]) -> str:
    """How far both caches lie apart on the same tokens, and what the whole one writes instead.

    The first token is left out: the prompt was read whole for it, before anything was evicted."""
    told = rows[1:]
    if not told:
        return "One token tells nothing yet: it was chosen before anything was evicted."
    furthest = max(range(len(told)), key=lambda n: told[n].divergence)
    apart = (
        f"On the same {many(len(told), 'token')} after the first the next-token distributions lie "
        f"{mean([row.divergence for row in told]):.2f} nats apart on average (KL from the whole cache to "
        f"this one), at most {told[furthest].divergence:.2f} at t{furthest + 2}."
    )
    return f"{apart} {_gone(told)} {_other(other, texts)}"


def _gone(rows: Sequence[Beside]) -> str:
    share = mean([row.gone for row in rows])
    return f"The whole cache sends {weighed(share)} of the shown layer's weight to what is evicted here."


def _other(other: Other, texts: tuple[Sequence[str], Sequence[str]]) -> str:
    """The two texts; perplexities on the text of the whole cache, which favours the cache that chose it."""
    own, others = texts
    if tuple(own) == tuple(others):
        same = "Both write the same text."
    else:
        same = f"With the whole cache the text is {text_of(others)}; with this one {text_of(own)}."
    if len(other.here) < 2:
        return same
    return (
        f"{same} On {many(len(other.here) - 1, 'token')} of the whole cache's text perplexity is "
        f"{perplexity(other.here[1:])} with this cache and {perplexity(other.whole[1:])} with the whole one, "
        "which chose that text."
    )


def evicted_weights(rows: Sequence[Beside]) -> str:
    """Of layers without a text, weights alone can be compared."""
    return f"{_gone(rows)} Random layers write no text, so no probability can be compared."


def held_only(sizes: CacheSizes, tokens: tuple[int, int], counted_bytes: int, *, real: bool) -> str:
    """A step of a model known by its sizes alone; `tokens` are (held, seen)."""
    kept = f"The cache holds {counted(*tokens)}: {bytes_held(sizes, tokens[0], counted_bytes)}"
    return kept if real else f"{kept} No memory is taken: the storage is counted on torch's meta device."


def read_only(sizes: CacheSizes, note: str) -> str:
    """Said once of a model known by its sizes alone."""
    each = f"One token leaves {sizes.formula} = {sizes.bytes_per_token:,} bytes ({sizes.meaning})."
    stands = "each word or mark of the prompt stands for a token, and no text is written"
    text = f"{sizes.title} is not run here: {stands}."
    return " ".join(part for part in (each, note, text) if part)
