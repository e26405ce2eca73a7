"""Delivery of pictures: request, event stream, tensors."""
