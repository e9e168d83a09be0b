"""Synthesis: motions from goals alone, contacts discovered (contact-invariant optimisation, CIO).

Say who, where and what should be true at the end; out comes a Motion with feet and hands on contacts of their own
choice. Runs on JAX, the extra `synthesis`.

Method: [mordatch2015, chapter 3], with contact forces as explicit variables instead of an inner QP.
"""
