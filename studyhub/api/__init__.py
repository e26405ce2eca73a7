"""REST v1: serializers, views, problems."""
