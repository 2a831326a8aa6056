"""The exit codes of `zul`, part of its interface.

Made, or answered no: 0. Refused by a rule, the file system or a missing answer: 1. Wrong usage
of the command line: 2. Interrupted: 128 plus the signal's number, as shells count it.
"""

OK = 0
REFUSED = 1
USAGE = 2
SIGNAL_BASE = 128
