"""head_split in words: how many heads the split makes."""

from studyhub.web.plain.saying import Facts, Plain, listed, whose

QUESTION = "Where do the heads come from?"
EDITS = "num_heads num_kv_heads"


def title(facts: Facts, role: str) -> str:
    """With the heads of the view."""
    view = next((step for step in facts.get("steps", ()) if step.get("step") in {"view", "split"}), None)
    told = f"What the split does with {view['shape'][2]} heads" if view else "What the split does"
    return f"{told}{whose(role)}"


def plain(facts: Facts) -> Plain:
    """The page shows its steps as a table of their own."""
    return listed(facts)
