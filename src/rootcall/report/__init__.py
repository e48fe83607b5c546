"""Reports: each prints a run or a trace and computes nothing of its own."""
