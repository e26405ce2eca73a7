"""What goes wrong, as RFC 9457 problem JSON: the catalogue, its pages, and what becomes one."""
