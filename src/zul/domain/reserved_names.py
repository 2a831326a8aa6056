"""Names that cannot be a project, whatever the template.

All are compared in normalised form (lower case, one `-` for each run of `-`, `_`, `.`).
"""

import keyword
import re
import sys

_RUN = re.compile(r"[-_.]+")


def normalise(name: str) -> str:
    """Return the form in which packaging tools compare names (PEP 503)."""
    return _RUN.sub("-", name).lower()


# Each Python version has its own list, and a project name must not depend on which one runs zul:
# these are the public top-level modules of 3.11 to 3.15 taken together.
_STDLIB = """
abc aifc annotationlib antigravity argparse array ast asynchat asyncio asyncore atexit audioop
base64 bdb binascii bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs
codeop collections colorsys compileall compression concurrent configparser contextlib contextvars
copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest
email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch fractions ftplib
functools gc genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http
idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json keyword lib2to3 linecache
locale logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder msilib msvcrt
multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator optparse os
ossaudiodev pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath
pprint profile profiling pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri
random re readline reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex
shutil signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3 sre_compile sre_constants
sre_parse ssl stat statistics string stringprep struct subprocess sunau symtable sys sysconfig
syslog tabnanny tarfile telnetlib tempfile termios textwrap this threading time timeit tkinter
token tokenize tomllib trace traceback tracemalloc tty turtle turtledemo types typing unicodedata
unittest urllib uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml
xmlrpc zipapp zipfile zipimport zlib zoneinfo
"""

# `type` became a soft keyword in 3.12, and 3.15 adds `lazy`.
_KEYWORDS = (*keyword.kwlist, *keyword.softkwlist, "type", "lazy")

# An unquoted project name in a YAML file must stay text.
_YAML_VALUES = "y yes n no on off true false null nan inf"

# Folders, modules and distributions that a project or its tools already use under that name.
_TAKEN = """
conftest main pip pkg-resources python setup setuptools site-packages src tasks test tests uv wheel
zul zulkit
"""

STDLIB = frozenset(normalise(name) for name in (*_STDLIB.split(), *sys.stdlib_module_names))
KEYWORDS = frozenset(normalise(word) for word in _KEYWORDS)
RESERVED = frozenset((_YAML_VALUES + _TAKEN).split())

# Windows opens these devices instead of a file, also with an extension behind them.
DEVICES = frozenset(
    ["con", "prn", "aux", "nul"] + [f"{port}{n}" for port in ("com", "lpt") for n in range(10)]
)
