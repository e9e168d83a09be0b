"""Reporting: pictures as bytes, small plots in one style, film strips, self-contained HTML pages."""
