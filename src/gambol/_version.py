"""The version of the installed package, for whoever writes it into a file."""

from importlib import metadata

__version__ = metadata.version("gambol")
