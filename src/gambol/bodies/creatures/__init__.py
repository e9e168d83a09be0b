"""The built-in characters, a file each."""
