# SPDX-License-Identifier: Apache-2.0
"""A plain program with pyrex-rocksdb, which knows nothing of this repository.

host.py DATABASE: with RocksDB's Bloom filter, 10 bits per key, writes 200,000 rows, reads
them and as many absent ones, and checks all answers.
"""

import sys

import pyrex

ROWS = 200_000


def key(number):
    """Not in the order of their numbers. Keys of odd numbers are never written."""
    return (number * 0x9E3779B97F4A7C15 % 2**64).to_bytes(8, "big")


def main(path):
    options = pyrex.PyOptions()
    options.create_if_missing = True
    options.use_block_based_bloom_filter(10)
    options.write_buffer_size = 1 << 20  # So there are SST files without a flush.
    database = pyrex.PyRocksDB(path, options)
    for run in range(4):
        for number in range(run * 2, ROWS * 2, 8):
            database.put(key(number), b"row %d" % number)
    for number in range(ROWS * 2):
        row = database.get(key(number))
        if row != (None if number % 2 else b"row %d" % number):
            sys.exit(f"wrong answer for row {number}: {row}")
    database.close()


if __name__ == "__main__":
    main(sys.argv[1])
