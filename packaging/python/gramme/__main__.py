"""`python -m gramme ...` and the command `gramme ...` are the program itself."""

import os
import sys

from gramme import binary


def main():
    os.execv(binary(), ["gramme", *sys.argv[1:]])


if __name__ == "__main__":
    main()
