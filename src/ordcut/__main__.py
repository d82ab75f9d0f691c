"""``python -m ordcut`` is the ``ordcut`` command."""

from ordcut.cli import main

if __name__ == "__main__":
    main()
