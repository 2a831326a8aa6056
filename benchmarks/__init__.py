"""Measures a generated service against named baselines, in one run: ``python -m benchmarks``."""
