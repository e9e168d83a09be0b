"""Writing files so that nothing is ever half-written: to a temporary name beside the target, then renamed."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from gambol.errors import BadInput

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS)
"""Errors of the disk, not of the program, while a file is being written."""


@contextmanager
def whole_file(target: Path) -> Iterator[Path]:
    """A path to write to; it becomes `target` when the block ends well and vanishes when it does not."""
    target = Path(target)
    temporary = _temporary(target)
    try:
        try:
            yield temporary
        except OSError as error:
            if error.errno in FULL:
                raise _cannot_write(target, error) from None
            raise
        try:
            temporary.chmod(0o666 & ~_umask())
            temporary.replace(target)
        except OSError as error:
            raise _cannot_write(target, error) from None
    finally:
        temporary.unlink(missing_ok=True)


def check_writable(target: Path, suffixes: Sequence[str] = ()) -> None:
    """Raise before any work is done if the file could not be written: tried with an empty file beside it.

    Its name must end in one of `suffixes`, if any are given.
    """
    if suffixes and target.suffix.lower() not in suffixes:
        raise BadInput(f"cannot write {target}: the name must end in {' or '.join(suffixes)}")
    _temporary(Path(target)).unlink(missing_ok=True)


def _temporary(target: Path) -> Path:
    """A new empty file beside the target."""
    try:
        if target.is_dir():
            raise BadInput(f"cannot write {target}: it is a directory")
        if not target.parent.is_dir():
            raise BadInput(f"cannot write {target}: there is no directory {target.parent}")
        if target.exists() and not os.access(target, os.W_OK):
            raise BadInput(f"cannot write {target}: permission denied")
        handle, name = tempfile.mkstemp(prefix=".gambol-", suffix=target.suffix, dir=target.parent)
    except OSError as error:
        raise _cannot_write(target, error) from None
    os.close(handle)
    return Path(name)


def _cannot_write(target: Path, error: OSError) -> BadInput:
    return BadInput(f"cannot write {target}: {(error.strerror or str(error)).lower()}")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
