"""Whose heads share keys and values, what that costs and how it is told. Knows no tensor."""
