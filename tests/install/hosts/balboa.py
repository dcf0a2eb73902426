#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What balboa.sh gives balboa to do.

balboa.py feed PORT         gives the frontend 60,000 observations of 30,000 names, over HTTP
balboa.py ask PORT FILE     asks 10,000 queries, half of them for names and addresses that
                            do not exist; the answers go to FILE
"""

import http.client
import json
import sys

NAMES = 30_000
NAMES_OF_A_REQUEST = 1000
QUERIES = 10_000
QUESTION = """query ($name: String, $address: String) {
  entries(rrname: $name, rdata: $address) {
    rrname rrtype rdata time_first time_last count sensor_id
  }
}"""


def name(number):
    return f"host{number}.domain{number % 97}.example"


def address(number):
    return f"10.{number // 3 % 256}.{number // 768 % 256}.{number % 5}"


def post(connection, path, document, headers):
    connection.request("POST", path, json.dumps(document).encode(), headers)
    response = connection.getresponse()
    answer = response.read()
    if response.status != 200:
        sys.exit(f"{response.status}: {answer!r}")
    return answer


def feed(connection):
    """Every name is observed twice, so that RocksDB has values to merge."""
    for day in (1, 2):
        for first in range(0, NAMES, NAMES_OF_A_REQUEST):
            names = {}
            for number in range(first, first + NAMES_OF_A_REQUEST):
                rdata = {
                    "answering_host": "192.0.2.1",
                    "count": number % 7 + day,
                    "rcode": "NOERROR",
                    "rdata": address(number),
                    "rrtype": "A",
                    "type": "answer",
                }
                names[name(number * 7919 % NAMES)] = {"rdata": [rdata]}
            document = {
                "dns": names,
                "timestamp_start": f"2026-01-0{day}T00:00:00Z",
                "timestamp_end": f"2026-01-0{day}T01:00:00Z",
            }
            post(connection, "/submit", document, {"X-Sensor-ID": "sensor"})


def ask(connection, path):
    with open(path, "wb") as file:
        for query in range(QUERIES):
            absent = query % 2 == 1
            number = query * 3571 % NAMES
            if query % 4 < 2:
                variables = {"name": ("absent." if absent else "") + name(number)}
            else:
                variables = {"address": address(number) + ("9" if absent else "")}
            answer = post(
                connection,
                "/query",
                {"query": QUESTION, "variables": variables},
                {"Content-Type": "application/json"},
            )
            if (b"rrname" in answer) == absent:
                sys.exit(f"{variables}: {answer!r}")
            file.write(answer + b"\n")


def main(arguments):
    connection = http.client.HTTPConnection("127.0.0.1", int(arguments[1]))
    if arguments[0] == "feed":
        feed(connection)
    else:
        ask(connection, arguments[2])


if __name__ == "__main__":
    main(sys.argv[1:])
