#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What oxigraph.sh gives Oxigraph to do.

oxigraph.py data FILE             writes 500,000 triples
oxigraph.py add PORT ROUND        adds 20,000 triples, in 20 updates; ROUND is 0 or 1
oxigraph.py ask PORT FILE         asks 10,000 queries, half of them for subjects that do
                                  not exist; the answers go to FILE
"""

import http.client
import sys

SUBJECTS = 50_000
TRIPLES_OF_A_SUBJECT = 10
UPDATES = 20
SUBJECTS_OF_AN_UPDATE = 100
QUERIES = 10_000


def triples(subject):
    """Half of the objects are other subjects, half are texts that occur once.

    Texts of up to 16 bytes are not in the column family that has a filter.
    """
    for number in range(TRIPLES_OF_A_SUBJECT):
        if number % 2:
            target = (subject * 31 + number * 7919) % SUBJECTS
            thing = f"<http://example.org/subject/{target}>"
        else:
            thing = f'"text {number} of the subject with number {subject}"'
        yield f"<http://example.org/subject/{subject}> <http://example.org/predicate/{number}> {thing} ."


def write_data(path):
    with open(path, "w", encoding="ascii") as file:
        for subject in range(SUBJECTS):
            file.writelines(line + "\n" for line in triples(subject))


class Client:
    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port)

    def post(self, path, kind, body):
        self.connection.request(
            "POST",
            path,
            body.encode(),
            {
                "Content-Type": f"application/sparql-{kind}",
                "Accept": "application/sparql-results+json",
            },
        )
        response = self.connection.getresponse()
        answer = response.read()
        if response.status not in (200, 204):
            sys.exit(f"{response.status}: {answer!r}")
        return answer


def add(client, round_number):
    first = SUBJECTS + round_number * UPDATES * SUBJECTS_OF_AN_UPDATE
    for _ in range(UPDATES):
        subjects = range(first, first + SUBJECTS_OF_AN_UPDATE)
        body = "\n".join(line for subject in subjects for line in triples(subject))
        client.post("/update", "update", f"INSERT DATA {{ {body} }}")
        first += SUBJECTS_OF_AN_UPDATE


def ask(client, path):
    with open(path, "wb") as file:
        for number in range(QUERIES):
            subject = number * 7919 % SUBJECTS  # in no order
            if number % 2:
                subject = f"absent/{subject}"
            answer = client.post(
                "/query",
                "query",
                "SELECT ?predicate ?object WHERE { "
                f"<http://example.org/subject/{subject}> ?predicate ?object }} ORDER BY ?predicate",
            )
            if (b"literal" in answer) == bool(number % 2):
                sys.exit(f"subject {subject}: {answer!r}")
            file.write(answer + b"\n")


def main(arguments):
    if arguments[0] == "data":
        write_data(arguments[1])
        return
    client = Client(int(arguments[1]))
    if arguments[0] == "add":
        add(client, int(arguments[2]))
    else:
        ask(client, arguments[2])


if __name__ == "__main__":
    main(sys.argv[1:])
