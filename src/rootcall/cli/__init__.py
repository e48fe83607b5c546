"""The command line. One file a command; `main` loads a command only when it is called."""
