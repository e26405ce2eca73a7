"""What a KV cache holds: sizes, closed forms, mistakes and their words. Knows no tensor."""
