"""Writing files so that nothing is ever half-written: to a temporary name beside the target, then renamed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gambol.errors import BadInput


@contextmanager
def whole_file(target: Path) -> Iterator[Path]:
    """A path to write to; it becomes `target` when the block ends well and vanishes when it does not."""
    target = Path(target)
    check_writable(target)
    handle, name = tempfile.mkstemp(prefix=f".{target.stem}-", suffix=target.suffix, dir=target.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def check_writable(target: Path) -> None:
    """Raise before any work is done if the file could not be written."""
    target = Path(target)
    if target.is_dir():
        raise BadInput(f"cannot write {target}: it is a directory")
    if not target.parent.is_dir():
        raise BadInput(f"cannot write {target}: there is no directory {target.parent}")
    if not os.access(target.parent, os.W_OK) or (target.exists() and not os.access(target, os.W_OK)):
        raise BadInput(f"cannot write {target}: permission denied")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
