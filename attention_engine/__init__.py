"""Tensors: what a transformer's numbers do. Knows no Django."""
