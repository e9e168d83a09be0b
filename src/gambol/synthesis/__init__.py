"""Synthesis: motions from goals alone, contacts discovered (contact-invariant optimisation, CIO).

Say who, where and what should be true at the end; out comes a Motion with feet and hands on contacts of their own
choice. Runs on JAX, the extra `synthesis`; nothing outside this package imports it.

Method: chapter 3 of the source in the dossier's numbering (equation numbers in round brackets are its own), with
contact forces as explicit variables instead of an inner QP.
"""
