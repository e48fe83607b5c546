"""Mastra's scorers."""
