"""BFCL inside rootcall."""
