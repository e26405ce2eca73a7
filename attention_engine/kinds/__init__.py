"""Per kind of picture: how parameters are completed, the facts without tensors, and what it costs."""
