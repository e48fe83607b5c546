"""`python -m rootcall`: the command line, where its script is not on the path. Nothing else belongs here."""

from rootcall.cli.main import main

if __name__ == "__main__":
    main()
