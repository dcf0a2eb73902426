#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what sourmash.sh gives sourmash: sourmash.py FOLDER.

60 random genomes of 100,000 bases, and 40 samples. Each sample has 200,000 bases of three
of the genomes and 200,000 that are in no genome.
"""

import pathlib
import random
import sys

GENOMES = 60
BASES = 100_000
SAMPLES = 40


def bases(numbers, count):
    return "".join(numbers.choices("ACGT", k=count))


def main(folder):
    numbers = random.Random(1)
    genomes = [bases(numbers, BASES) for _ in range(GENOMES)]
    for index, genome in enumerate(genomes):
        (folder / f"genome{index}.fa").write_text(f">genome{index}\n{genome}\n")
    for index in range(SAMPLES):
        first, second, third = numbers.sample(genomes, 3)
        parts = first, second[: BASES * 7 // 10], third[: BASES * 3 // 10], bases(numbers, 2 * BASES)
        text = "".join(f">part{number}\n{part}\n" for number, part in enumerate(parts))
        (folder / f"sample{index}.fa").write_text(text)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
