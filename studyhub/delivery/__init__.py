"""Delivery of pictures: request, event stream, tensors."""

from studyhub.delivery.packing import packed
from studyhub.delivery.pictures import Requested, read_frames, request_visualization, tensor
from studyhub.delivery.stream import follow, is_over

__all__ = ["Requested", "follow", "is_over", "packed", "read_frames", "request_visualization", "tensor"]
