"""docs/security.md names options that exist, with the defaults they have, and
limits as the sources have them."""

import re

import pytest

UNITS = {"K": " KiB", "M": " MiB", "G": " GiB", "s": " s", "h": " h"}
# What no limit is called, by default of the option.
NONE = {"0": ("not bounded", "the kernel's"), "never": ("not bounded",),
        "": ("all", "none")}
# Of the commands; the rest are options of "arancini run".
COMMANDS = {"--timeout", "--token-file", "--version"}
# (file below src, name, as the page shows it): constants without an option
CONSTANTS = [
    ("collector/http/server.c", "CONNECTIONS", "| connections | 512,"),
    ("collector/http/server.c", "PER_ADDRESS", "384 of one address"),
    ("collector/http/server.c", "RESERVED", "32 more for health"),
    ("collector/http/server.c", "WORKING_MAX", "worked on | 64,"),
    ("collector/http/server.c", "CONNECTION_SIZE", "body | 32 KiB;"),
    ("collector/http/server.c", "BODY_MAX", "64 KiB, and not used"),
    ("collector/http/server.c", "STOP_SECONDS", "to stop | 10 s"),
    ("collector/http/target.h", "HTTP_TARGET_MAX", "32 KiB; 4 KiB;"),
    ("collector/http/connections.h", "HTTP_READ_SECONDS", "answer | 30 s;"),
    ("collector/http/connections.h", "HTTP_SEND_SECONDS", "30 s; 60 s"),
    ("collector/http/server_internal.h", "HTTP_PAGE_BYTES",
     "1 MiB and one row"),
    ("collector/http/server_internal.h", "HTTP_HELD_BYTES",
     "all together | 64 MiB"),
    ("collector/query/query_param.h", "QUERY_LIMIT_MAX",
     "bytes of a page | 1,000;"),
    ("collector/http/sse.c", "STREAMS", "streams of events | 64"),
    ("collector/ingest/connection.h", "CONNECTION_EARLY_MAX",
     "who it is | 256 KiB"),
    ("collector/ingest/session_run.c", "TURN_BYTES", "have theirs | 64 KiB"),
    ("collector/ingest/session_run.c", "TURN_OUTPUT", "one turn | 1 MiB,"),
    ("collector/ingest/session_run.c", "TURN_ROUTES", "or 4,096 routes"),
    ("rib/rib.c", "PEERS_MAX", "of a router | 65,536; 256, 131,072"),
    ("rib/rib.c", "PEER_TABLES_MAX", "of a router | 65,536; 256, 131,072"),
    ("rib/rib.c", "ROUTER_TABLES_MAX", "65,536; 256, 131,072 |"),
    ("bmp/text.h", "TEXT_NAME_MAX", "255 bytes, then cut"),
    ("collector/checkpoint/manifest.h", "MANIFEST_MAX", "64 MiB; 512 MiB"),
    ("collector/router/stats_report.h", "STATS_REPORT_LOOKS",
     "kept of a peer | 1,024; 64;"),
    ("collector/router/stats_report.h", "STATS_REPORT_ROWS",
     "1,024; 64; 12 |"),
    ("collector/router/router.h", "ROUTER_LINES_BURST", "20, then 1 a second"),
    ("collector/worker.c", "REFUSAL_BURST", "20, then 2 a second each"),
    ("collector/base/log.h", "LOG_SHARED_BURST", "together | 10,000,"),
    ("collector/base/log.h", "LOG_SHARED_RATE", "then 100 a second"),
    ("egress/nats/kv.c", "VALUE_MAX", "a manifest | 64 MiB;"),
    ("egress/codec.h", "EGRESS_PLAIN_MAX", "decompressed | 8 MiB"),
    ("cli/client.c", "ANSWER_MAX", "as a whole | 8 MiB,"),
    ("capture/codec.h", "CAPTURE_CODEC_MEMORY", "decompressor | 256 MiB"),
    ("capture/mrt.h", "CAPTURE_MRT_MAX_RECORD", "record of MRT | 64 MiB"),
    ("capture/reassembly.h", "CAPTURE_WAITING_BYTES", "to close | 4 MiB"),
]


@pytest.fixture(scope="module")
def page(tree):
    return (tree / "docs/security.md").read_text()


@pytest.fixture(scope="module")
def defaults(tree):
    """{flag: default}, from the tables that are made of the program's own."""
    text = (tree / "docs/configuration.md").read_text()
    return {flag: default.strip("`") for flag, default in re.findall(
        r"^\| `(--[a-z0-9-]+)` \| `[^`]*` \| (`[^`]*`|) \|", text, re.M)}


def shown(default):
    """The ways in which the page may write this default."""
    if default in NONE:
        return NONE[default]
    if default.isdigit():
        return (f"{int(default):,}",)
    return (default[:-1] + UNITS[default[-1]],)


def test_options_exist(page, defaults):
    named = set(re.findall(r"`(--[a-z0-9-]+)", page))
    assert len(named) > 30
    assert named - set(defaults) - COMMANDS == set()


# Names of options that bound something.
LIMIT = re.compile(r"--(max-|backlog|rcvbuf|recv-|.*-max(-|$)|.*-timeout$|"
                   r".*-hold$|.*-window$|.*-wait$|bridge-batches|acked-tail)")
# Not of what a party may take: how long the stream remembers ids.
NO_LIMITS = {"--nats-duplicate-window"}


def test_each_option_that_is_a_limit_is_named(page, defaults):
    limits = {flag for flag in defaults if LIMIT.match(flag)}
    assert len(limits) > 25
    named = set(re.findall(r"`(--[a-z0-9-]+)", page))
    assert limits - NO_LIMITS - named == set()


def test_defaults_are_those_of_the_program(page, defaults):
    section = page[page.index("## Limits"):page.index("### The commands")]
    checked = 0
    for bound, options in re.findall(r"^\|[^|]*\| ([^|]*) \| (`--[^|]*) \|$",
                                     section, re.M):
        for flag in re.findall(r"--[a-z0-9-]+", options):
            assert any(re.search(rf"(?<![\d,]){re.escape(one)}(?!,?\d)",
                                 bound) for one in shown(defaults[flag])), (
                flag, defaults[flag], bound)
            checked += 1
    assert checked > 25


def amount(number):
    """As the page writes it: the largest unit that leaves a whole number."""
    for unit, name in ((1 << 20, " MiB"), (1 << 10, " KiB")):
        if number % unit == 0:
            return f"{number // unit:,}{name}"
    return f"{number:,}"


@pytest.mark.parametrize("file, name, text", CONSTANTS)
def test_constants_are_those_of_the_sources(tree, page, file, name, text):
    source = (tree / "src" / file).read_text()
    found = re.search(rf"^#define {name}\s+(.*?)(?:/\*.*)?$", source, re.M)
    number = eval(re.sub(r"\(int64_t\)|\(size_t\)|(?<=\d)u\b", "", found[1]))
    assert text in page
    assert f"{number:,}" in text or amount(number) in text
