"""Reads a Varve table with PyIceberg, by path, and prints what it found as JSON.

    pip install 'pyiceberg[pyarrow]'
    python read_table.py <table location> [--service S] [--from-ns N] [--to-ns N] [--snapshot ID]

The location is the table's directory or URI (the version is taken from `metadata/version-hint.text`)
or the path of one `v<N>.metadata.json`.

Output: `rows`, `services` (count by service, null as ""), `checksum` (order-independent, see `row_hash`),
`files_planned` of `files_total`, `snapshot_id`, and `snapshots` (id, rows) for time travel.
"""

import argparse
import hashlib
import json
import sys

from pyiceberg.expressions import AlwaysTrue, And, EqualTo, GreaterThanOrEqual, LessThan
from pyiceberg.table import StaticTable

COLUMNS = [
    "timestamp_ns",
    "source",
    "service",
    "body",
    "idempotency_key",
    "attributes",
    "host",
    "env",
    "namespace",
    "tenant",
]


def row_hash(row):
    """First 8 bytes of the SHA-256 of the row as a compact JSON array; the time as a string, the map sorted."""
    values = []
    for name in COLUMNS:
        value = row[name]
        if name == "timestamp_ns" and value is not None:
            value = str(value)
        if name == "attributes" and value is not None:
            pairs = value.items() if isinstance(value, dict) else value
            value = sorted(([key, item] for key, item in pairs), key=lambda pair: pair[0].encode())
        values.append(value)
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def filter_of(arguments):
    expression = AlwaysTrue()
    if arguments.service is not None:
        expression = And(expression, EqualTo("service", arguments.service))
    if arguments.from_ns is not None:
        expression = And(expression, GreaterThanOrEqual("timestamp_ns", arguments.from_ns))
    if arguments.to_ns is not None:
        expression = And(expression, LessThan("timestamp_ns", arguments.to_ns))
    return expression


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("location")
    parser.add_argument("--service")
    parser.add_argument("--from-ns", type=int)
    parser.add_argument("--to-ns", type=int)
    parser.add_argument("--snapshot", type=int)
    arguments = parser.parse_args()

    table = StaticTable.from_metadata(arguments.location)
    chosen = {} if arguments.snapshot is None else {"snapshot_id": arguments.snapshot}
    scan = table.scan(row_filter=filter_of(arguments), **chosen)
    planned = len(list(scan.plan_files()))
    total = len(list(table.scan(**chosen).plan_files()))

    services = {}
    checksum = 0
    rows = 0
    for batch in scan.to_arrow_batch_reader():
        for row in batch.to_pylist():
            rows += 1
            service = row["service"] or ""
            services[service] = services.get(service, 0) + 1
            checksum = (checksum + row_hash(row)) % 2**64

    current = table.current_snapshot()
    json.dump(
        {
            "rows": rows,
            "services": services,
            "checksum": f"{checksum:016x}",
            "files_planned": planned,
            "files_total": total,
            "snapshot_id": arguments.snapshot or (current.snapshot_id if current else None),
            "snapshots": [
                {"id": snapshot.snapshot_id, "rows": int(snapshot.summary["total-records"])}
                for snapshot in table.metadata.snapshots
            ],
        },
        sys.stdout,
        ensure_ascii=False,
    )
    print()


if __name__ == "__main__":
    main()
