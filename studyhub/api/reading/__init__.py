"""What is sent, read within bounds: JSON, fields, bodies, queries. Knows no operation."""
