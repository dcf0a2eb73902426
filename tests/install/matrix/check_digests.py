#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks Scylla.db of each SSTable below FOLDER as ScyllaDB does.

Compares the CRC-32 of Scylla.db and of each component that exists with what Scylla.db
says. Prints the number of SSTables and of digests, and a line for each that differs.
Exits with 1 if one differs, or if no SSTable has digests.

The layout is that of ScyllaDB's docs/dev/sstable-scylla-format.md, and the numbers of the
components are those of sstables/component_type.hh. Shares no code with filterdb.
"""

import argparse
import struct
import sys
import zlib
from pathlib import Path

COMPONENTS = {
    0: "Index.db", 1: "CompressionInfo.db", 2: "Data.db", 3: "TOC.txt", 4: "Summary.db",
    5: "Digest.crc32", 6: "CRC.db", 7: "Filter.db", 8: "Statistics.db", 12: "Rows.db",
    13: "Partitions.db",
}  # fmt: skip
TAG_OF_DIGESTS = 12


def number(data: bytes, at: int) -> int:
    return int(struct.unpack_from(">I", data, at)[0])


def parts(data: bytes) -> tuple[dict[int, bytes], int]:
    """Returns the parts by their tags, and where they end."""
    found = {}
    at = 4
    for _ in range(number(data, 0)):
        size = number(data, at + 4)
        found[number(data, at)] = data[at + 8 : at + 8 + size]
        at += 8 + size
    return found, at


def differences(scylla: Path) -> tuple[int, list[str]]:
    """Returns the number of digests, and a line for each that differs."""
    data = scylla.read_bytes()
    found, end = parts(data)
    digests = found.get(TAG_OF_DIGESTS)
    if digests is None:
        return 0, []
    lines = []
    if data[end:] != struct.pack(">I", zlib.crc32(data[:end])):
        lines.append(f"{scylla}: its own digest differs")
    count = number(digests, 0)
    for i in range(count):
        name = COMPONENTS[number(digests, 4 + 8 * i)]
        file = scylla.with_name(scylla.name.removesuffix("Scylla.db") + name)
        if file.exists() and zlib.crc32(file.read_bytes()) != number(digests, 8 + 8 * i):
            lines.append(f"{file}: its digest differs")
    return count, lines


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    folder = parser.parse_args().folder
    results = [differences(path) for path in sorted(folder.rglob("*-Scylla.db"))]
    with_digests = [count for count, _ in results if count > 0]
    lines = [line for _, lines in results for line in lines]
    print(*lines, sep="\n", end="\n" if lines else "")
    print(f"{len(with_digests)} SSTables with {sum(with_digests)} digests, {len(lines)} differ")
    return 0 if with_digests and not lines else 1


if __name__ == "__main__":
    sys.exit(main())
