#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what sortmerna.sh gives SortMeRNA: sortmerna.py FOLDER.

40 random references of 1500 bases, and 20,000 reads of 100 bases. Half of the reads are
of a reference, with up to two wrong bases; half are of none.
"""

import pathlib
import random
import sys

REFERENCES = 40
REFERENCE_BASES = 1500
READS = 20_000
READ_BASES = 100


def main(folder):
    numbers = random.Random(1)

    def bases(count):
        return "".join(numbers.choices("ACGT", k=count))

    def read(reference):
        first = numbers.randrange(REFERENCE_BASES - READ_BASES)
        text = list(reference[first : first + READ_BASES])
        for _ in range(2):
            text[numbers.randrange(READ_BASES)] = bases(1)
        return "".join(text)

    references = [bases(REFERENCE_BASES) for _ in range(REFERENCES)]
    text = (f">reference{index}\n{reference}\n" for index, reference in enumerate(references))
    (folder / "references.fa").write_text("".join(text))
    reads = (
        bases(READ_BASES) if index % 2 else read(numbers.choice(references)) for index in range(READS)
    )
    (folder / "reads.fa").write_text("".join(f">read{index}\n{text}\n" for index, text in enumerate(reads)))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
