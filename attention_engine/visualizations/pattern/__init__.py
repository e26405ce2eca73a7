"""The parts of attention_pattern: the layer, its pairs, tables and words."""
