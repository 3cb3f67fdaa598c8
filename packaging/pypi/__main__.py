"""`python -m cairn_code` is the same as `cairn`."""

from . import main

main()
