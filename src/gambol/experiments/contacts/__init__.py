"""Contacts of any patch on any surface: standing on props and what moves, palms on walls, figures on figures."""
