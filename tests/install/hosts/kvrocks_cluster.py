#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks a cluster of three Kvrocks nodes whose filter is cassandra_bloom.

KVROCKS is a program that has this repository's plugin in its RocksDB, and
kvrocks_filter.cc beside this script says how its filter is chosen. The nodes listen on
127.0.0.1 only. For each program:

1. redis-benchmark works on the whole cluster (with --benchmark).
2. Clients write, overwrite and delete strings and hashes, and read them in between, while
   each node in turn is killed with SIGKILL and started again. Every reply is compared
   with a model. A write without a reply may be done or not; nothing else may be missing.
3. All keys are read back, and absent keys are looked up, before and after a compaction.
   RocksDB's tickers say how many absent keys the filters of each node let pass.
4. The nodes are stopped. Their LOGs must name the filter for each column family, and the
   programs that are given with --sst-dump and --doctor must find it in the SST files.

With --other=KVROCKS, all of it is done with the other program, too (the same Kvrocks with
RocksDB's own Bloom filter), and all answers must be the same. Then each program opens the
databases of the other one, reads everything, compacts, and reads everything again.

Prints a row of this table:

  | host | RocksDB | switched on by | work | answers compared | filter | date |
"""

import argparse
import hashlib
import json
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

NODES = 3
SLOTS = 16384
OURS = "cassandra_bloom"
BLOOM = "bloomfilter"
# The false positive rate of Cassandra's filter with 10 bits per key and 7 probes:
# (1 - e^(-7/10))^7.
OUR_RATE = 0.00819
# Kvrocks gives all of its column families the same filter.
COLUMN_FAMILIES = 7
WRITERS = 4
BATCH = 600
HASHES = 240
FIELDS = 240
USEFUL = "rocksdb.bloom.filter.useful"
POSITIVE = "rocksdb.bloom.filter.full.positive"
TRUE_POSITIVE = "rocksdb.bloom.filter.full.true.positive"

# Small memtables and files, so that there are many flushes and compactions. The rest is
# Kvrocks's default, with the write-ahead log and without fsync.
SETTINGS = {
    "bind": "127.0.0.1",
    "cluster-enabled": "yes",
    "workers": "2",
    "daemonize": "no",
    "auto-resize-block-and-sst": "no",
    "rocksdb.write_buffer_size": "1",
    "rocksdb.target_file_size_base": "1",
    "rocksdb.block_cache_size": "64",
    "rocksdb.max_background_jobs": "2",
}


class Failure(Exception):
    """A check failed."""


def step(text: str) -> None:
    print(f"==== {text} ({time.monotonic() - STARTED:.0f} s)", file=sys.stderr, flush=True)


STARTED = time.monotonic()


# ---- The protocol ----


def crc16(data: bytes) -> int:
    """Returns CRC-16/XMODEM, by which a cluster finds the slot of a key."""
    crc = 0
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1
        crc &= 0xFFFF
    return crc


def node_of(key: bytes) -> int:
    """Returns the node that has the slot of the key; the keys here have no {tag}."""
    return crc16(key) % SLOTS * NODES // SLOTS


def slots_of(node: int) -> tuple[int, int]:
    """Returns the first and the last slot of a node."""
    first, after = (-(-number * SLOTS // NODES) for number in (node, node + 1))
    return first, after - 1


class ServerError(Exception):
    """The server's reply is an error."""


class Connection:
    """A connection to a node, for pipelines of commands."""

    def __init__(self, port: int):
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self._file = self._socket.makefile("rb")

    def close(self) -> None:
        self._file.close()
        self._socket.close()

    def send(self, commands: Sequence[Sequence[bytes]]) -> None:
        parts = []
        for command in commands:
            parts.append(b"*%d\r\n" % len(command))
            parts.extend(b"$%d\r\n%s\r\n" % (len(word), word) for word in command)
        self._socket.sendall(b"".join(parts))

    def receive(self):
        """Returns the next reply: bytes, an int, a list, None or a ServerError."""
        line = self._file.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionError("the node closed the connection")
        kind, rest = line[:1], line[1:-2]
        if kind == b"+":
            return rest
        if kind == b"-":
            return ServerError(rest.decode())
        if kind == b":":
            return int(rest)
        if kind == b"$":
            if int(rest) < 0:
                return None
            data = self._file.read(int(rest) + 2)
            if len(data) < int(rest) + 2:
                raise ConnectionError("the node closed the connection")
            return data[:-2]
        if kind == b"*":
            return [self.receive() for _ in range(int(rest))]
        raise Failure(f"no reply of this protocol: {line!r}")

    def ask(self, *words: str):
        self.send([[word.encode() for word in words]])
        reply = self.receive()
        if isinstance(reply, ServerError):
            raise Failure(f"{words[0]}: {reply}")
        return reply


# ---- The nodes ----


def free_ports(number: int) -> list[int]:
    sockets = [socket.socket() for _ in range(number)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


@dataclass
class Node:
    program: Path
    folder: Path
    port: int
    identity: str
    process: subprocess.Popen | None = None

    @property
    def database(self) -> Path:
        return self.folder / "db"

    def start(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        settings = {**SETTINGS, "port": str(self.port), "dir": str(self.folder)}
        config = self.folder / "kvrocks.conf"
        config.write_text("".join(f"{name} {value}\n" for name, value in settings.items()))
        with open(self.folder / "output", "ab") as output:
            self.process = subprocess.Popen(
                [self.program, "-c", config],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        self.connect(120).close()

    def connect(self, seconds: float) -> Connection:
        """Returns a connection to the node, once it answers."""
        end = time.monotonic() + seconds
        while True:
            try:
                connection = Connection(self.port)
                connection.send([[b"PING"]])
                if connection.receive() == b"PONG":
                    return connection
                connection.close()
            except OSError:
                pass
            if time.monotonic() > end:
                raise Failure(f"the node in {self.folder} does not answer: see its output")
            time.sleep(0.05)

    def ask(self, *words: str):
        connection = self.connect(60)
        try:
            return connection.ask(*words)
        finally:
            connection.close()

    def kill(self) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            if self.process.wait(timeout=300) != 0:
                raise Failure(f"the node in {self.folder} ended with {self.process.returncode}")
            self.process = None

    def info(self, section: str) -> dict[str, str]:
        text = self.ask("INFO", section).decode()
        return dict(line.split(":", 1) for line in text.split("\r\n") if ":" in line)

    def compact(self) -> None:
        self.ask("COMPACT")
        while self.info("rocksdb")["is_compacting"] != "no":
            time.sleep(0.1)

    def tickers(self) -> Counter[str]:
        counts = json.loads(self.ask("STATS"))
        return Counter({name: counts[name] for name in (USEFUL, POSITIVE, TRUE_POSITIVE)})


class Cluster:
    def __init__(self, program: Path, folder: Path):
        self.nodes = [
            Node(program, folder / f"node{number}", port, f"{number:040x}")
            for number, port in enumerate(free_ports(NODES))
        ]

    def __enter__(self) -> "Cluster":
        try:
            for node in self.nodes:
                node.start()
            topology = "\n".join(
                "{} 127.0.0.1 {} master - {}-{}".format(node.identity, node.port, *slots_of(number))
                for number, node in enumerate(self.nodes)
            )
            for node in self.nodes:
                version = int(node.ask("CLUSTERX", "VERSION"))
                node.ask("CLUSTERX", "SETNODEID", node.identity)
                node.ask("CLUSTERX", "SETNODES", topology, str(max(version, 0) + 1))
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for node in self.nodes:
            node.kill()

    def stop(self) -> None:
        for node in self.nodes:
            node.stop()


# ---- The writers ----

# Only even numbers are written, so that absent keys and fields are between present ones.


def string_key(number: int) -> bytes:
    return b"user:%08d" % number


def hash_key(number: int) -> bytes:
    return b"hash:%06d" % number


def hash_field(number: int) -> bytes:
    return b"field:%06d" % number


Value = bytes | dict[bytes, bytes] | None


def applied(command: Sequence[bytes], old: Value) -> tuple[Value, object]:
    """Returns the value of the key after the command, and the reply to the command."""
    match command:
        case [b"SET", _, value]:
            return value, b"OK"
        case [b"GET", _]:
            return old, old
        case [b"DEL", _]:
            return None, int(old is not None)
        case [b"HGET", _, name]:
            return old, (old or {}).get(name)
        case [b"HSET", _, name, value]:
            return {**(old or {}), name: value}, int(name not in (old or {}))
        case [b"HDEL", _, name]:
            rest = {each: value for each, value in (old or {}).items() if each != name}
            return rest or None, int(name in (old or {}))
    raise AssertionError(command)


def reading(key: bytes) -> list[bytes]:
    return [b"HGETALL" if key.startswith(b"hash:") else b"GET", key]


def value_of(reply: object) -> Value:
    """Returns the value that the reply to a command of `reading` has."""
    if isinstance(reply, ServerError):
        raise Failure(f"a read: {reply}")
    if isinstance(reply, list):
        return dict(zip(reply[::2], reply[1::2])) or None
    return reply


class Writer(threading.Thread):
    """Writes its own keys, and holds the model of what they must be."""

    def __init__(self, nodes: Sequence[Node], number: int, seed: int, strings: int):
        super().__init__(daemon=True)
        self.model: dict[bytes, Value] = {}
        self.done = 0
        self.reads = 0
        self.unanswered = 0
        self.unanswered_keys = Counter[str]()
        self.failure: Exception | None = None
        self.stopping = threading.Event()
        self._nodes = nodes
        self._connections: list[Connection | None] = [None] * NODES
        self._random = random.Random(f"{seed} {number}")
        self._strings = range(2 * number, 2 * strings, 2 * WRITERS)
        self._hashes = range(number, HASHES, WRITERS)
        self._operations = 0

    def begin(self, operations: int) -> None:
        self._operations = operations
        self.start()

    def run(self) -> None:
        try:
            while self.done < self._operations and not self.stopping.is_set():
                size = min(BATCH, self._operations - self.done)
                self._batch([self._command() for _ in range(size)])
        except Exception as failure:  # Whatever it is, the main thread reports it.
            self.failure = failure
        for connection in self._connections:
            if connection is not None:
                connection.close()

    def _command(self) -> list[bytes]:
        choice = self._random
        what = choice.random()
        if what < 0.6:
            key = string_key(choice.choice(self._strings))
            if what < 0.42:
                return [b"SET", key, choice.randbytes(choice.randrange(1, 120)).hex().encode()]
            return [b"DEL" if what < 0.5 else b"GET", key]
        key = hash_key(choice.choice(self._hashes))
        if what > 0.9995:
            return [b"DEL", key]
        name = hash_field(2 * choice.randrange(FIELDS))
        if what < 0.87:
            return [b"HSET", key, name, choice.randbytes(choice.randrange(1, 60)).hex().encode()]
        return [b"HDEL" if what < 0.93 else b"HGET", key, name]

    def _batch(self, commands: Sequence[Sequence[bytes]]) -> None:
        by_node: list[list[Sequence[bytes]]] = [[] for _ in range(NODES)]
        for command in commands:
            by_node[node_of(command[1])].append(command)
        for number, rest in enumerate(by_node):
            # What was not done is sent again, so that the result depends on the seed alone.
            while rest:
                answered = self._send(number, rest)
                rest = rest[answered:]
                if rest:
                    self._look_after_death(number, rest)
        self.done += len(commands)

    def _connection(self, number: int) -> Connection:
        connection = self._connections[number]
        if connection is None:
            connection = self._nodes[number].connect(300)
            self._connections[number] = connection
        return connection

    def _send(self, number: int, commands: Sequence[Sequence[bytes]]) -> int:
        """Returns how many of the commands were answered before the node died."""
        answered = 0
        try:
            connection = self._connection(number)
            connection.send(commands)
            for command in commands:
                self._check(command, connection.receive())
                answered += 1
        except OSError:
            self._drop(number)
        return answered

    def _drop(self, number: int) -> None:
        connection, self._connections[number] = self._connections[number], None
        if connection is not None:
            connection.close()

    def _check(self, command: Sequence[bytes], reply: object) -> None:
        key = command[1]
        value, expected = applied(command, self.model.get(key))
        if isinstance(reply, ServerError):
            raise Failure(f"{command}: {reply}")
        if reply != expected:
            raise Failure(f"{command}: the reply is {reply!r}, not {expected!r}")
        self.model[key] = value
        self.reads += command[0] in (b"GET", b"HGET")

    def _look_after_death(self, number: int, commands: Sequence[Sequence[bytes]]) -> None:
        """Finds out which of the commands that got no reply were done.

        The commands for one key are done in their order. The node may have died after any
        of them.
        """
        self.unanswered += len(commands)
        states: dict[bytes, list[Value]] = {}
        for command in commands:
            history = states.setdefault(command[1], [self.model.get(command[1])])
            history.append(applied(command, history[-1])[0])
        while states:
            try:
                connection = self._connection(number)
                connection.send([reading(key) for key in states])
                for key in list(states):
                    found = value_of(connection.receive())
                    history = states[key]
                    if found not in history:
                        raise Failure(f"{key!r} is {found!r}, and none of {history!r}")
                    if all(value == found for value in history):
                        self.unanswered_keys["as before"] += 1
                    elif found == history[-1]:
                        self.unanswered_keys["all done"] += 1
                    else:
                        done = "some done" if found != history[0] else "not done"
                        self.unanswered_keys[done] += 1
                    self.model[key] = found
                    del states[key]
            except OSError:
                self._drop(number)


def write(cluster: Cluster, options: argparse.Namespace) -> list[Writer]:
    """Lets the writers work, and meanwhile kills each node in turn."""
    writers = [
        Writer(cluster.nodes, number, options.seed, options.strings) for number in range(WRITERS)
    ]
    for writer in writers:
        writer.begin(options.operations // WRITERS)
    total = options.operations // WRITERS * WRITERS
    killed = 0
    try:
        while any(writer.is_alive() for writer in writers):
            if any(writer.failure for writer in writers):
                break
            done = sum(writer.done for writer in writers)
            if killed < options.kills and done > total * (killed + 1) // (options.kills + 1):
                node = cluster.nodes[(1 + killed) % NODES]
                node.kill()
                killed += 1
                time.sleep(0.5)  # Meanwhile the writers use the dead node.
                node.start()
                step(f"node {node.port} killed after {done} operations and started again")
            time.sleep(0.02)
    finally:
        for writer in writers:
            writer.stopping.set()
    for writer in writers:
        writer.join()
        if writer.failure:
            raise writer.failure
    if killed < options.kills:
        raise Failure(f"the work ended before {options.kills} kills: give more --operations")
    return writers


# ---- The readers ----


def answers(
    cluster: Cluster, commands: Sequence[Sequence[bytes]]
) -> Iterator[tuple[Sequence[bytes], object]]:
    """Yields each command with its reply, node by node."""
    by_node: list[list[Sequence[bytes]]] = [[] for _ in range(NODES)]
    for command in commands:
        by_node[node_of(command[1])].append(command)
    for node, mine in zip(cluster.nodes, by_node):
        connection = node.connect(60)
        for begin in range(0, len(mine), 200):
            part = mine[begin : begin + 200]
            connection.send(part)
            for command in part:
                yield command, connection.receive()
        connection.close()


@dataclass
class Reading:
    """All answers of a cluster, and what its filters did for the absent keys."""

    digest: str
    answers: int = 0
    # By node: how many absent keys were looked up, and what the tickers counted.
    absent: list[int] = field(default_factory=list)
    tickers: list[Counter[str]] = field(default_factory=list)

    def passed(self, node: int) -> tuple[int, int]:
        """Returns how many questions for absent keys a node's filters passed, and how many
        there were."""
        counts = self.tickers[node]
        false = counts[POSITIVE] - counts[TRUE_POSITIVE]
        return false, counts[USEFUL] + false

    def rates(self) -> list[float]:
        return [
            false / max(1, asked) for false, asked in (self.passed(node) for node in range(NODES))
        ]


def absent_commands(model: dict[bytes, Value], strings: int) -> list[list[bytes]]:
    commands = [[b"GET", string_key(number)] for number in range(1, 2 * strings, 2)]
    for key, value in sorted(model.items()):
        if isinstance(value, dict):
            commands += [[b"HGET", key, hash_field(number)] for number in range(1, 2 * FIELDS, 2)]
    return commands


def read_all(cluster: Cluster, model: dict[bytes, Value], strings: int) -> Reading:
    """Compares every key and every absent key with the model."""
    digest = hashlib.sha256()
    reading_of = Reading("")

    def ask(commands: Sequence[Sequence[bytes]], expected: Callable[[bytes], Value]) -> None:
        for command, reply in answers(cluster, commands):
            found = value_of(reply)
            if found != expected(command[1]):
                raise Failure(
                    f"{command}: the answer is {found!r}, not {expected(command[1])!r}"
                )
            canonical = sorted(found.items()) if isinstance(found, dict) else found
            digest.update(repr((list(command), canonical)).encode())
            reading_of.answers += 1

    ask([reading(key) for key in sorted(model)], model.get)
    # Reads each field by itself, because HGETALL uses an iterator, which asks no filter.
    fields = [
        [b"HGET", key, name]
        for key, value in sorted(model.items())
        if isinstance(value, dict)
        for name in sorted(value)
    ]
    for command, reply in answers(cluster, fields):
        if reply != model[command[1]][command[2]]:
            raise Failure(f"{command}: the answer is {reply!r}")
        reading_of.answers += 1
    before = [node.tickers() for node in cluster.nodes]
    absent = absent_commands(model, strings)
    ask(absent, lambda _: None)
    reading_of.tickers = [
        Counter({name: node.tickers()[name] - old[name] for name in old})
        for node, old in zip(cluster.nodes, before)
    ]
    nodes = Counter(node_of(command[1]) for command in absent)
    reading_of.absent = [nodes[number] for number in range(NODES)]
    reading_of.digest = digest.hexdigest()
    return reading_of


def judge_rates(name: str, reading_of: Reading) -> None:
    """Compares rates with the filter's: five standard deviations and a tenth may differ."""
    for node in range(NODES):
        false, asked = reading_of.passed(node)
        step(
            f"{name}, node {node}: of {asked} questions for {reading_of.absent[node]} absent "
            f"keys the filters passed {false}, {100 * false / max(1, asked):.3f} %"
        )
        if asked < 0.8 * reading_of.absent[node]:
            raise Failure("the filters were not asked")
        if name == OURS:
            deviation = (OUR_RATE * (1 - OUR_RATE) / asked) ** 0.5
            if abs(false / asked - OUR_RATE) > 5 * deviation + OUR_RATE / 10:
                raise Failure(f"expected {100 * OUR_RATE} %")


# ---- After the nodes have stopped ----


def rocksdb_version(database: Path) -> str:
    found = re.search(r"RocksDB version: (\S+)", (database / "LOG").read_text(errors="replace"))
    return found[1] if found else "?"


def check_files(name: str, cluster: Cluster, options: argparse.Namespace) -> int:
    """The LOG, the SST files and the doctor must say that the filter is on.

    Returns how many SST files were examined.
    """
    files = 0
    for node in cluster.nodes:
        log = (node.database / "LOG").read_text(errors="replace")
        policies = Counter(re.findall(r"filter_policy: (\S+)", log))
        if policies != {name: COLUMN_FAMILIES}:
            raise Failure(f"{node.database}/LOG: the filters are {dict(policies)}")
        if options.sst_dump:
            command = [options.sst_dump, f"--file={node.database}", "--show_properties"]
            output = run([*command, "--command=none"])
            found = Counter(re.findall(r"filter policy name: (.*)", output))
            size = re.findall(r"filter block size: (\d+)", output)
            tables = len(list(node.database.glob("*.sst")))
            if found != {name: tables} or "0" in size:
                raise Failure(f"{node.database}: filters of SST files: {dict(found)}, {size}")
            files += tables
        if options.doctor and name == OURS:
            report = run([options.doctor, "doctor", f"--db={node.database}"])
            (node.folder / "doctor").write_text(report)
            step(f"doctor, {node.folder.name}: {report.splitlines()[-1]}")
    return files


def run(command: Sequence[str | Path]) -> str:
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    )
    if done.returncode != 0:
        raise Failure(f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout[-3000:]}")
    return done.stdout


# ---- All of it ----


def benchmark(cluster: Cluster, options: argparse.Namespace) -> None:
    output = run(
        [
            options.benchmark, "--cluster", "-h", "127.0.0.1", "-p", str(cluster.nodes[0].port),
            "-t", "set,get,incr,lpush,sadd,hset,zadd", "-n", str(options.benchmark_requests),
            "-r", "100000", "-c", "24", "-P", "16", "-d", "100", "--csv",
        ]
    )  # fmt: skip
    for line in re.findall(r'^"[A-Z].*', output, re.MULTILINE):
        print(line, file=sys.stderr)
    if len(re.findall(r'^"[A-Z]', output, re.MULTILINE)) < 7:
        raise Failure(f"redis-benchmark: {output[-2000:]}")


@dataclass
class Result:
    cluster: Cluster
    model: dict[bytes, Value]
    reading: Reading
    answers: int
    files: int
    unanswered: int


def whole_run(name: str, program: Path, folder: Path, options: argparse.Namespace) -> Result:
    cluster = Cluster(program, folder)
    with cluster:
        if options.benchmark:
            step(f"{name}: redis-benchmark")
            benchmark(cluster, options)
        step(f"{name}: {options.operations} operations, {options.kills} kills")
        writers = write(cluster, options)
        model: dict[bytes, Value] = {}
        for writer in writers:
            model.update(writer.model)
        reads = sum(writer.reads for writer in writers)
        unanswered = sum(writer.unanswered for writer in writers)
        keys = sum((writer.unanswered_keys for writer in writers), Counter())
        step(f"{name}: {reads} of them reads; {unanswered} without a reply, by key: {dict(keys)}")
        if options.kills and not unanswered:
            raise Failure("the kills met no operation: give more --operations")
        before = read_all(cluster, model, options.strings)
        step(
            f"{name}: {before.answers} answers are right; before the compaction pass "
            f"{percents(before)}"
        )
        for node in cluster.nodes:
            node.compact()
        after = read_all(cluster, model, options.strings)
        step(f"{name}: {after.answers} answers are right after the compaction")
        if before.digest != after.digest:
            raise Failure("the compaction changed answers")
        judge_rates(name, after)
        cluster.stop()
        files = check_files(name, cluster, options)
    compared = sum(writer.done for writer in writers) + before.answers + after.answers
    return Result(cluster, model, after, compared, files, unanswered)


def percents(reading_of: Reading) -> str:
    return ", ".join(f"{100 * rate:.3f}" for rate in reading_of.rates()) + " %"


def exchanged(name: str, program: Path, result: Result, options: argparse.Namespace) -> int:
    """Lets one program open the databases that the other program has written.

    Returns how many answers were compared.
    """
    for node in result.cluster.nodes:
        node.program = program
    with result.cluster as cluster:
        first = read_all(cluster, result.model, options.strings)
        asked = sum(first.passed(node)[1] for node in range(NODES))
        if name == OURS and max(first.rates()) > 0.05:
            raise Failure(f"RocksDB's filters are not used: {percents(first)}")
        for node in cluster.nodes:
            node.compact()
        second = read_all(cluster, result.model, options.strings)
        if not first.digest == second.digest == result.reading.digest:
            raise Failure("the other program has other answers")
        step(
            f"{name} opens the other's databases: {first.answers} answers are right, {asked} "
            f"questions to filters, {percents(first)}; after a compaction pass {percents(second)}"
        )
        judge_rates(name, second)
        cluster.stop()
        check_files(name, cluster, options)
    return first.answers + second.answers


def row(ours: Result, compared: int, options: argparse.Namespace) -> str:
    version = re.search(r"\d+\.\d+\.\d+", run([options.kvrocks, "--version"]))
    work = [
        f"{NODES} nodes",
        f"{options.operations} operations",
        f"{options.kills} times SIGKILL ({ours.unanswered} operations without a reply)",
    ]
    if options.benchmark:
        work.insert(1, f"redis-benchmark (7 x {options.benchmark_requests})")
    if options.other:
        work.append("the same with RocksDB's filter, then databases exchanged")
    filters = [f"{OURS} in the LOG"]
    if options.sst_dump:
        filters.append(f"in {ours.files} of {ours.files} SST files")
    if options.doctor:
        filters.append("doctor content")
    filters.append(f"of absent keys pass {percents(ours.reading)}")
    cells = [
        f"Kvrocks {version[0] if version else '?'}",
        rocksdb_version(ours.cluster.nodes[0].database),
        "--wrap of NewBloomFilterPolicy, nothing changed in Kvrocks",
        ", ".join(work),
        f"{compared}, all right",
        ", ".join(filters),
        str(date.today()),
    ]
    return f"| {' | '.join(cells)} |"


def whole_path(text: str) -> Path:
    return Path(text).resolve()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kvrocks", type=whole_path, help="Kvrocks with cassandra_bloom")
    parser.add_argument("--other", type=whole_path, help="Kvrocks with RocksDB's own Bloom filter")
    parser.add_argument("--benchmark", type=Path, metavar="REDIS_BENCHMARK")
    parser.add_argument("--benchmark-requests", type=int, default=50000, metavar="N")
    parser.add_argument("--sst-dump", type=whole_path, help="of Kvrocks's release of RocksDB")
    parser.add_argument("--doctor", type=whole_path, metavar="SST_FILTERS",
                        help="built for Kvrocks's release of RocksDB")  # fmt: skip
    parser.add_argument("--operations", type=int, default=400000)
    parser.add_argument("--strings", type=int, default=60000, help="different string keys")
    parser.add_argument("--kills", type=int, default=NODES)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="for the databases, which stay there")
    options = parser.parse_args()

    folder = options.folder or Path(tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    try:
        ours = whole_run(OURS, options.kvrocks, folder.resolve() / "ours", options)
        compared = ours.answers
        if options.other:
            other = whole_run(BLOOM, options.other, folder.resolve() / "other", options)
            if ours.model != other.model or ours.reading.digest != other.reading.digest:
                raise Failure("the two programs have different answers")
            step(f"both programs gave the same {ours.reading.answers} answers")
            compared += other.answers
            compared += exchanged(BLOOM, options.other, ours, options)
            compared += exchanged(OURS, options.kvrocks, other, options)
        print(row(ours, compared, options))
    except (Failure, OSError, subprocess.SubprocessError) as failure:
        sys.exit(f"kvrocks_cluster.py: {failure}; the nodes are in {folder}")
    if not options.folder:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
