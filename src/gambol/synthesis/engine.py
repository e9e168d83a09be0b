"""JAX, set up once: double precision, compiled programs kept in the user's cache folder between runs."""

from __future__ import annotations

import os
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


jax.config.update("jax_enable_x64", True)
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.2)
if "JAX_COMPILATION_CACHE_DIR" not in os.environ:
    jax.config.update("jax_compilation_cache_dir", str(cache_folder()))
