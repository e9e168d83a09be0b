"""JAX, set up once: double precision, memory kept, compiled programs in the user's cache folder between runs."""

from __future__ import annotations

import ctypes
import os
import platform
from pathlib import Path

from gambol.errors import BadInput

try:
    import jax
except ImportError:
    raise BadInput("synthesis needs JAX, which is not installed; install it with: pip install 'gambol[synthesis]'"
                   ) from None


def cache_folder() -> Path:
    """Where compiled programs are kept: `gambol/jax` under the user's cache folder."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "gambol" / "jax"


MMAP_THRESHOLD, TRIM_THRESHOLD, ARENA_MAX = -3, -1, -8
"""Settings of glibc's `mallopt`."""


def keep_memory() -> None:
    """Keep memory that is freed for the next iteration, and share it between threads.

    Else the kernel takes tens of megabytes back after each iteration and clears them for the next: of scenes with two
    characters that was half of the time.
    """
    if platform.libc_ver()[0] != "glibc":
        return
    mallopt = ctypes.CDLL(None).mallopt
    if mallopt(MMAP_THRESHOLD, 1 << 30) or mallopt(MMAP_THRESHOLD, 32 << 20):  # the most that an older glibc takes
        mallopt(TRIM_THRESHOLD, (1 << 31) - 1)
        mallopt(ARENA_MAX, 1)


keep_memory()
jax.config.update("jax_enable_x64", True)
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.2)
if "JAX_COMPILATION_CACHE_DIR" not in os.environ:
    jax.config.update("jax_compilation_cache_dir", str(cache_folder()))
