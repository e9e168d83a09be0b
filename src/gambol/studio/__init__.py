"""The studio: simulated characters live in the browser, and recorded motions played there."""

from gambol.studio.server import Studio, run_studio, run_view, serve_studio, serve_view

__all__ = ["Studio", "run_studio", "run_view", "serve_studio", "serve_view"]
