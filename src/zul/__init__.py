"""Zul builds AI agent services in hexagonal layers."""

__version__ = "0.1.0"
