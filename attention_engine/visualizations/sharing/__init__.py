"""The parts of head_sharing: the layer, its K/V heads, the answer run, and words."""
