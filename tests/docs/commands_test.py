#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of the documents, and compares what they print.

A block that is indented by four spaces and has lines that begin with `$ ` is
typed into a shell of its own, in the scratch folder of its document. The shell
has what an installation gives, and no LD_PRELOAD. The lines after a command are
what it must print. A command without such lines may print anything. Every command
must succeed, except those in STATUS. The OPTIONS file of README.md is in the
scratch folder of each document, as my_options.ini.

These are errors, too: another command that names a file, a target of make or an
option of filterdb or sst_filters that does not exist; an ldb or db_bench that opens
a database without the policy and is not in WITHOUT_US; a link to a file or a heading
that does not exist.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TOOLS = ("filterdb", "sst_filters")  # Their options in sentences are looked up in --help.
# Targets that `make help` leaves out: itself, and one that other targets need.
HIDDEN_TARGETS = {"help", "packages"}

# The exit status of commands that fail, as their document says.
STATUS = {
    "python3 examples/python/check_filter_db.py nb-2-big-Filter.db names.txt "
    "--text": 2,
}
# Commands that run without the policy on purpose: their document shows the
# result.
WITHOUT_US = {
    "db_bench --bloom_bits=10 --db=old --num=10000 --benchmarks=fillrandom,flush",
    "db_bench --bloom_bits=10 --db=old --use_existing_db --num=10000 "
    "--benchmarks=readrandom",
    "ldb --db=old --try_load_options compact",
    "ldb --db=db put key value",
}
# A command, a pattern in its output, and what replaces it before the comparison.
VARYING = [
    # RocksDB chooses the numbers of files; levels depend on its version.
    (r"sst_filters export", r"nb-\d+-big", "nb-N-big"),
    (r"sst_filters export", r" +", " "),
    (r"sst_filters doctor", r"[\d.]+", "N"),
    (r"sst_filters doctor", r" +", " "),
    # RocksDB's own filter has another name in earlier releases.
    (r"sst_dump", r"rocksdb.BuiltinBloomFilter", "bloomfilter"),
    # Newer releases print more than the documents show; 10.10 uses other words.
    (r"ldb", r"Extra option not recognized:", "Could not find option: :"),
    (r"ldb", r"\nThis tool was built with version .*", ""),
]


class Problem(Exception):
    pass


class Command:
    def __init__(self, text, line):
        self.text, self.line, self.shown = text, line, []


def parse(text):
    """Returns a document's blocks, as lists of (line number, text), and its `spans`."""
    blocks, prose, block = [], [], []
    for number, line in enumerate(text.split("\n") + ["end"], 1):
        if line.startswith("    ") or block and not line:
            block.append((number, line[4:]))
            continue
        while block and not block[-1][1]:
            block.pop()
        if block:
            blocks.append(block)
            block = []
            prose.append("")
        if line.startswith("```"):
            raise Problem(f"line {number}: blocks are indented, not fenced")
        prose.append(line)
    spans = re.findall(r"`([^`]+)`", "\n".join(prose))
    return blocks, [" ".join(span.split()) for span in spans]


def commands_of(block):
    """Returns the commands of a block with `$ `, and the output shown after each."""
    commands = []
    for number, line in block:
        if line.startswith("$ "):
            commands.append(Command(line[2:], number))
        elif commands and commands[-1].text.endswith("\\"):
            commands[-1].text += "\n" + line
        elif commands:
            commands[-1].shown.append(line)
        else:
            raise Problem(f"line {number}: output without a command: {line}")
    return commands


def unprompted_lines(block):
    """The lines of a block without `$ `, without comments, with `\\` lines joined."""
    text = "\n".join(line for _, line in block).replace("\\\n", " ")
    for line in text.split("\n"):
        yield " ".join(re.sub(r"\s+#.*", "", line).split())


def mask(command, text):
    for of, pattern, mark in VARYING:
        if re.search(rf"\b{of}\b", command):
            text = re.sub(pattern, mark, text)
    return "\n".join(line.rstrip() for line in text.split("\n")).rstrip()


# Lets an install work on file systems that do not tell who has a file open, such as the
# overlayfs of a container. Elsewhere commands run as they are typed.
TELLING = {"ext2/ext3", "xfs", "btrfs", "tmpfs"}
MEND_ANYWHERE = """filterdb() {
  case " $* " in *" --in-place "* | " install "*) set -- "$@" --node-is-down ;; esac
  command filterdb "$@"
}
"""


class Session:
    """The shells in which the commands of one document run."""

    def __init__(self, source, build):
        self.folder = tempfile.TemporaryDirectory(
            prefix="docs_commands_", dir=build)  # A run of mend may not be below /tmp.
        self.path = pathlib.Path(self.folder.name)
        self.tells = subprocess.check_output(
            ["stat", "-f", "-c", "%T", self.path], text=True).strip() in TELLING
        (self.path / "examples").symlink_to(source / "examples")
        blocks, _ = parse((source / "README.md").read_text())
        (block,) = [block for block in blocks if block[0][1] == "[Version]"]
        (self.path / "my_options.ini").write_text("\n".join(line for _, line in block) + "\n")
        # The folders of the build's RocksDB.
        cache = dict(re.findall(r"^(\w+):\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.M))
        tools = pathlib.Path(cache["CASSANDRA_BLOOM_DB_BENCH"]).parent
        headers = cache["ROCKSDB_INCLUDE_DIR"]
        library = pathlib.Path(cache["ROCKSDB_LIBRARY"]).parent
        self.environment = dict(
            {name: os.environ[name] for name in ("HOME", "TMPDIR")
             if name in os.environ},
            PATH=f"{build}/bin:{tools}:{os.environ['PATH']}",
            LD_LIBRARY_PATH=f"{build}/lib:{library}", LIBRARY_PATH=f"{build}/lib:{library}",
            CPATH=f"{source}/include:{headers}", LC_ALL="C.UTF-8",
            PYTHONDONTWRITEBYTECODE="1")

    def run(self, commands):
        """Yields (exit status, output) of each command of a block."""
        script = ("" if self.tells else MEND_ANYWHERE) + "".join(
            f"{command.text}\nprintf '\\n\\001%d\\n' $?\n" for command in commands)
        done = subprocess.run(
            ["bash", "-c", script], cwd=self.path, env=self.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=300, check=False)
        output = done.stdout.decode(errors="replace")
        parts = re.split(r"\n\x01(\d+)\n", output)
        if len(parts) != 2 * len(commands) + 1:
            raise Problem(f"the shell has not come to the end: {output}")
        for printed, status in zip(parts[::2], parts[1::2]):
            yield int(status), printed

    def check(self, commands):
        preloaded = False
        for command in commands:
            text = command.text
            preloaded = preloaded or text.startswith("export LD_PRELOAD=")
            if (re.search(r"(^|\s)(ldb|db_bench)\s", text) and not preloaded and
                    "LD_PRELOAD=" not in text and text not in WITHOUT_US):
                yield f"line {command.line}: opens a database without the policy: {text}"
        for command, (status, printed) in zip(commands, self.run(commands)):
            wanted = STATUS.get(command.text, 0)
            if status != wanted:
                yield (f"line {command.line}: exit status {status}, not {wanted}: "
                       f"{command.text}\n{printed}")
            expected = mask(command.text, "\n".join(command.shown))
            actual = mask(command.text, printed)
            if expected and actual != expected:
                yield (f"line {command.line}: {command.text}\n--- the document:\n"
                       f"{expected}\n--- printed:\n{actual}")


def check_options(text, build):
    """Checks that the help of a tool has the options of a command in the text."""
    words = text.split()
    options = re.findall(r"--[a-z-]+", text)
    if not options:
        return
    help_text = subprocess.run(
        [f"{build}/bin/{words[0]}", words[1], "--help"], stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, check=False, text=True).stdout
    for option in options:
        if option not in help_text:
            yield f"{words[0]} {words[1]} has no option {option}: {text}"


def check_names(text, source, build):
    """Checks that the files, targets and options that a text names exist, if it is a command."""
    words = text.split()
    while words and re.match(r"^[A-Za-z_]\w*=", words[0]):  # VARIABLE=value
        words.pop(0)
    if not words:
        return
    if words[0] in TOOLS:
        yield from check_options(" ".join(words), build)
    if words[0] == "make" and len(words) > 1 and "ROCKSDB_PLUGINS" not in text:
        makefile = (source / "Makefile").read_text()
        if not re.search(rf"^([\w-]+ )*{re.escape(words[1])}( [\w-]+)*:", makefile, re.M):
            yield f"the Makefile has no such target: {text}"
        elif words[1] not in HIDDEN_TARGETS and f'@echo "make {words[1]}' not in makefile:
            yield f"make help does not name the target: {text}"
    for word in words:
        # A name in capitals, as in tests/FOLDER/CMakeLists.txt, stands for any.
        if re.fullmatch(r"(tests|db_bench_ext)/[\w./-]+", word):
            if not re.search(r"\b[A-Z]+\b", word) and not (source / word).exists():
                yield f"there is no such file: {text}"
        elif word.startswith("build/") and "/bin/" in word:
            name = word.rsplit("/", 1)[1]
            if not any(re.search(rf"\({name}\b", file.read_text())
                       # Not in build/, where other tests make and remove folders.
                       for top in ("db_bench_ext", "examples", "filterdb", "tests", "tools")
                       for file in (source / top).rglob("CMakeLists.txt")):
                yield f"nothing builds {name}: {text}"


def check_document(text, source, build):
    """Yields problems."""
    session = Session(source, build)
    try:
        blocks, texts = parse(text)
        for block in blocks:
            if any(line.startswith("$ ") for _, line in block):
                yield from session.check(commands_of(block))
            else:
                texts += unprompted_lines(block)
        for text in texts:
            yield from check_names(text, source, build)
    except Problem as problem:
        yield str(problem)


def anchors(path):
    """The anchors that GitHub gives the headings of a document."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
            for heading in headings}


def check_links(path):
    for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text()):
        if target.startswith("https://"):
            continue
        file, _, anchor = target.partition("#")
        linked = path.parent / file if file else path
        if not linked.exists():
            yield f"there is no such file: {target}"
        elif anchor and anchor not in anchors(linked):
            yield f"there is no such heading: {target}"


def check_all(source, build, pages):
    """Checks all pages, or only `pages`."""
    documents = sorted(source.glob("*.md")) + sorted(source.glob("docs/*.md"))
    for path in pages or documents:
        problems = list(check_links(path))
        if path.name not in ("CHANGELOG.md", "SECURITY.md"):  # They show no commands.
            problems += check_document(path.read_text(), source, build)
        for problem in problems:
            yield f"{path.relative_to(source)}: {problem}"


# Faulty documents, and a part of the error that the self test must see for
# each.
WRONG = [
    ("    $ echo 1\n    2\n", "--- printed:\n1"),
    ("    $ echo 1\n    1\n    2\n", "--- printed:\n1"),
    ("    $ false\n", "exit status 1"),
    ("    $ exit 0\n", "has not come to the end"),
    ("    $ db_bench --db=x --benchmarks=nothing\n", "without the policy"),
    ("    $ filterdb info x\n", "exit status 3"),
    ("    make all\n", "no such target"),
    ("    A=1 tests/x.sh \\\n      y\n", "no such file: A=1 tests/x.sh y"),
    ("Type `make\nall`.\n", "no such target"),
    ("| `build/dev/bin/no_test` |\n", "nothing builds no_test"),
    ("By `sst_filters export --no-such=`.\n", "has no option --no-such"),
    ("```\nldb\n```\n", "not fenced"),
]
RIGHT = """Text.

    $ export LD_PRELOAD=libcassandra_bloom_preload.so
    $ echo $LD_PRELOAD; printf 'a\\n\\nb'
    libcassandra_bloom_preload.so
    a

    b

    $ printf 1 \\
        >/dev/null

By `sst_filters export --db=`, `make demo`.

    int main() {}

Text.

    $ echo "[$LD_PRELOAD]"
    []
"""


def self_test(source, build, _pages):
    for document, wanted in WRONG:
        complaints = "\n".join(check_document(document, source, build))
        if wanted not in complaints:
            yield f"not seen: {wanted}\n{document}{complaints}"
    if complaints := "\n".join(check_document(RIGHT, source, build)):
        yield f"wrongly seen: {complaints}"
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "a.md"
        path.write_text("# One, `two`\n[a](#one-two) [b](a.md#no) [c](b.md)\n")
        wrong = list(check_links(path))
        if len(wrong) != 2:
            yield f"links: {wrong}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--source", required=True, type=pathlib.Path)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    checks = {"docs_commands": check_all, "docs_commands_self_test": self_test}
    parser.add_argument("--check", choices=checks, default="docs_commands",
                        help="the self test checks that mistakes are found")
    parser.add_argument("pages", nargs="*", type=pathlib.Path,
                        help="check these documents alone")
    arguments = parser.parse_args()
    source, build = arguments.source.resolve(), arguments.build.resolve()
    problems = list(checks[arguments.check](source, build, [page.resolve() for page in arguments.pages]))
    for problem in problems:
        print(problem + "\n")
    print(f"{len(problems)} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
