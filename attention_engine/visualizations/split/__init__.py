"""The parts of head_split: the layer and words."""
