"""head_atlas in words: how many heads, who shares K and V, how they are named."""

from studyhub.web.plain.saying import Facts, Plain, whose

QUESTION = "What do all heads do?"
EDITS = "sentence query key"


def title(facts: Facts, role: str) -> str:
    """How many heads of which model, and whether their maps are shown."""
    heads, name = facts["heads"], facts["title"]
    if not facts["trained"] and facts["drawn"]:
        return f"All {heads:,} heads of a random layer{whose(role)}"
    of = f"All {heads:,} heads of {name}"
    return f"{of} on one sentence{whose(role)}" if facts["drawn"] else f"{of}, counted{whose(role)}"


def plain(facts: Facts) -> Plain:
    """Heads by layer; how a head gets its name, or why it has no map."""
    layers, heads, shared = facts["layers"], facts["num_heads"], facts["num_kv_heads"]
    size = f"{layers:,} layer{'' if layers == 1 else 's'} of {heads:,} heads, {facts['heads']:,} in all"
    if facts["drawn"]:
        return Plain(f"{facts['title']}: {size}{_shared(heads, shared)}. {facts['rule']}")
    latent = f"K and V of all are unpacked from a latent of {facts['kv_rank']:,} numbers"
    pairs = f"{shared:,} pair{'' if shared == 1 else 's'} of K and V a layer" if shared else latent
    weights = "Its weights are not here: heads are counted, no map is drawn."
    source = f"Source: {facts['source']} ({facts['status']}, {facts['as_of']})."
    return Plain(f"{facts['title']}: {size}; {pairs} ({facts['attention']}). {weights} {source}")


def _shared(heads: int, shared: int) -> str:
    """Who reads one K/V head, where heads share them."""
    return "" if shared in {0, heads} else f", {heads // shared} query heads to each of {shared:,} K/V heads"
