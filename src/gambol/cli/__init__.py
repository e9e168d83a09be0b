"""The command line, a file a group of commands. Every command is thin: parse, call one function, print."""

from gambol.cli import list, run, studio, motion, synthesize, reproduce  # isort: skip  the order of `gambol --help`
from gambol.cli.app import app, main

__all__ = ["app", "list", "main", "motion", "reproduce", "run", "studio", "synthesize"]
