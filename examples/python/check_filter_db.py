#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks whether a Filter.db of Cassandra has lost one of the given keys.

Needs libcassandra_bloom.so.0 and no Python package. The exit status is that of
filterdb check: 0 if the filter has all keys, 2 if one is missing, 3 if
something cannot be read, 64 for wrong usage. But a file that is longer than its
header says is refused with 3, where filterdb check reads what a node reads.
"""

import argparse
import ctypes
import itertools
import re
import sys

KEYS_AT_ONCE = 4096


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.print_usage(sys.stderr)
        self.exit(64, f"{self.prog}: {message}\n")


class Unusable(Exception):
    """Something cannot be read; the message is a sentence."""


class Filter:
    """An open Filter.db; a context manager."""

    def __init__(self, library, path, sstable_version):
        self._library = library
        error = ctypes.c_char_p()
        self._handle = library.cassandra_bloom_filter_open(
            path.encode(errors="surrogateescape"),
            sstable_version and sstable_version.encode(), ctypes.byref(error))
        if not self._handle:
            message = (error.value or b"out of memory").decode(errors="replace")
            library.cassandra_bloom_free(error)
            raise Unusable(message)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._library.cassandra_bloom_filter_destroy(self._handle)

    def may_contain(self, keys):
        """The answers for a list of keys (bytes), in their order."""
        answers = (ctypes.c_bool * len(keys))()
        self._library.cassandra_bloom_filter_may_contain_many(
            self._handle, (ctypes.c_char_p * len(keys))(*keys),
            (ctypes.c_size_t * len(keys))(*map(len, keys)), len(keys), answers)
        return list(answers)


def load_library(path):
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise Unusable(f"cannot load {path}: {error} (set --library)")
    library.cassandra_bloom_filter_open.restype = ctypes.c_void_p
    library.cassandra_bloom_filter_open.argtypes = [
        ctypes.c_char_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_char_p)]
    library.cassandra_bloom_filter_destroy.restype = None
    library.cassandra_bloom_filter_destroy.argtypes = [ctypes.c_void_p]
    library.cassandra_bloom_filter_may_contain_many.restype = None
    library.cassandra_bloom_filter_may_contain_many.argtypes = [
        ctypes.c_void_p, ctypes.POINTER(ctypes.c_char_p),
        ctypes.POINTER(ctypes.c_size_t), ctypes.c_size_t,
        ctypes.POINTER(ctypes.c_bool)]
    library.cassandra_bloom_free.restype = None
    library.cassandra_bloom_free.argtypes = [ctypes.c_void_p]
    return library


def key_of_line(line, is_text):
    """The key in a line, or None if the line may mean something else, because a
    wrong key would be reported missing."""
    if is_text:
        return None if line.endswith(b"\r") else line
    match = re.fullmatch(rb"(?:0x((?:[0-9a-fA-F]{2})*)|((?:[0-9a-fA-F]{2})+))\r?",
                         line)
    return match and bytes.fromhex((match[1] or match[2] or b"").decode())


def read_keys(lines, name, is_text):
    for number, line in enumerate(lines, start=1):
        key = key_of_line(line.removesuffix(b"\n"), is_text)
        if key is None:
            expected = ("a line that ends in LF alone" if is_text else
                        "an even number of hexadecimal digits")
            raise Unusable(f"{name}: line {number}: expected {expected}")
        yield key


def check(filter_db, keys):
    """Prints the missing keys; returns their number and that of all keys."""
    num_keys = num_missing = 0
    while some := list(itertools.islice(keys, KEYS_AT_ONCE)):
        num_keys += len(some)
        for key, present in zip(some, filter_db.may_contain(some)):
            if not present:
                num_missing += 1
                print("missing", key.hex() or "(the empty key)")
    return num_missing, num_keys


def parse_arguments():
    parser = Parser(description=__doc__)
    parser.add_argument("filter_db", help="such as nb-1-big-Filter.db")
    parser.add_argument("keys", help="file of keys, one per line; - is stdin")
    parser.add_argument("--text", action="store_true",
                        help="the lines are the keys, not hexadecimal digits")
    parser.add_argument("--sstable-version",
                        help="such as nb; needed if the file name does not tell it")
    parser.add_argument("--library", default="libcassandra_bloom.so.0",
                        help="path of the library; by default the installed one")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    try:
        library = load_library(arguments.library)
        with Filter(library, arguments.filter_db,
                    arguments.sstable_version) as filter_db, \
                (open(0, "rb", closefd=False) if arguments.keys == "-" else
                 open(arguments.keys, "rb")) as lines:
            missing, count = check(
                filter_db, read_keys(lines, arguments.keys, arguments.text))
        if count == 0:
            raise Unusable(f"{arguments.keys}: no keys")
    except (Unusable, OSError) as error:
        print(f"check_filter_db: {error}", file=sys.stderr)
        return 3
    print(f"{arguments.filter_db}: {count} keys, {missing} missing")
    return 2 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
