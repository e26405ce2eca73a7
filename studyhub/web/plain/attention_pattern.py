"""attention_pattern in words: heads, scale and what is hidden."""

from studyhub.web.plain.saying import Facts, Plain

QUESTION = "Where does each token look?"
START = {"layer": 3, "head": 1}
EDITS = "sentence layer head mask window scale rotary num_kv_heads"
HIDDEN = {
    "none": "nothing hidden",
    "causal": "later tokens hidden",
    "sliding_window": "a window of {window:,} keys",
    "padding": "{padding:,} tokens of filler hidden",
}
HIDES = {
    "none": "nothing is hidden",
    "causal": "later tokens are hidden",
    "sliding_window": "later tokens are hidden, and those more than {window:,} keys back",
    "padding": "the last {padding:,} tokens are filler",
}


def title(facts: Facts, role: str) -> str:
    """What is hidden and by what scores are scaled."""
    scale = "undivided" if facts["scale"] == "no division" else f"scale {facts['scale']}"
    hidden = HIDDEN[facts["mask"]].format_map(facts)
    return f"Where each token looks: {hidden}, {scale}{', as you answered' if role == 'yours' else ''}"


def plain(facts: Facts) -> Plain:
    """The layer in one line."""
    heads, shared = facts["num_heads"], facts["num_kv_heads"]
    keys = f"{shared:,} for keys and values" if shared else "keys and values unpacked from a latent"
    hidden = HIDES[facts["mask"]].format_map(facts)
    turned = (
        "" if facts["rotary"] == "none" else f" Queries and keys are turned by position ({facts['rotary']})."
    )
    widths = f"{heads:,} query heads of {facts['d_head']:,}, {keys}"
    return Plain(f"{facts['attention']}: {widths}. Scale: {facts['scale']}; {hidden}.{turned}")
