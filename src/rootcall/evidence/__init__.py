"""What several layers need to know about a trace, without judgement."""
