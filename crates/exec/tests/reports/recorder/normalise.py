"""Takes machine, paths and times out of a recorded output: stdin to stdout.

Bytes are kept as bytes, since what tests print need not be UTF-8.
"""

import os
import re
import sys

text = sys.stdin.buffer.read()
for place, name in ((sys.argv[1], "/repo"), (sys.argv[2], "/tools"), (os.path.expanduser("~"), "/home/alice")):
    text = text.replace(place.encode(), name.encode())
for pattern, name in (
    (rb"(\.\./)+[^ ]*?/node_modules/", b"/tools/node_modules/"),
    (rb"/usr/lib/python[0-9.]+|/home/alice/\.pyenv/versions/[0-9.]+/lib/python[0-9.]+", b"/usr/lib/python3"),
    (rb"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?", b"2026-01-02T03:04:05Z"),
    (rb"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", b"00000000-0000-4000-8000-000000000000"),
    (rb"-[0-9a-f]{16}\b", b"-0123456789abcdef"),
    (rb"0x[0-9a-f]{6,}", b"0x7f0000000000"),
    (rb"\(\d+\) panicked", b"(42) panicked"),
    (rb"\bpid[ =:]+\d+", b"pid 42"),
    (rb"\b1[67]\d{11}\b", b"1767323045000"),
    (rb"\b1[67]\d{11}\.\d+\b", b"1767323045000.5"),
    (rb'hostname="[^"]*"', b'hostname="host"'),
    (rb"(Start at +)\d\d:\d\d:\d\d", rb"\g<1>03:04:05"),
    (rb"\b\d+\.\d{2,}( ?m?s\b)", rb"0.12\1"),
    (rb"\b\d+\.\d{3,}", b"0.123"),
    (rb"\b\d+( ?ms\b)", rb"3\1"),
    (rb"goroutine \d+", b"goroutine 7"),
    (rb"\+0x[0-9a-f]+", b"+0x1d"),
):
    text = re.sub(pattern, name, text)
sys.stdout.buffer.write(text)
