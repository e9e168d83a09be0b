"""`python -m gambol`: the same as the command `gambol`."""

from gambol.cli import main

main()
