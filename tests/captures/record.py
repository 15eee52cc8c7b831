#!/usr/bin/python3
"""Record the BMP sessions of real routers into this folder.

    tests/captures/record.py [--keep-logs]

FRR's bgpd (AS 65001, 127.0.10.1) and GoBGP (AS 65002, 127.0.10.2), both
Debian's, peer with each other on the loopback and report to a collector that
only writes down what arrives. The script below changes routes, takes the
session down and up again, and notes in expected.json what it did: that file
comes from the script's own intentions and never from a decoder.

Needs the packages frr and gobgpd. Takes about a minute. Every process is
started here, bounded in time and stopped by its id.
"""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
BGPD = "/usr/lib/frr/bgpd"

FRR, GOBGP, COLLECTOR = "127.0.10.1", "127.0.10.2", "127.0.10.9"
BGP_PORT = 11790
GOBGP_API = 50151

# Neither router takes next hops in 127/8.
NEXT_HOP = "192.0.2.2"

FRR_CONFIG = """
hostname frr
log file {folder}/bgpd.log
router bgp 65001
 bgp router-id 10.0.0.1
 no bgp ebgp-requires-policy
 no bgp network import-check
 neighbor {gobgp} remote-as 65002
 neighbor {gobgp} port {port}
 neighbor {gobgp} passive
 neighbor {gobgp} timers 3 9
 neighbor {gobgp} advertisement-interval 0
 address-family ipv4 unicast
  neighbor {gobgp} activate
  neighbor {gobgp} soft-reconfiguration inbound
  neighbor {gobgp} route-map from-gobgp in
  neighbor {gobgp} route-map to-gobgp out
  network 198.51.100.0/24
  network 198.51.100.128/25
 exit-address-family
 address-family ipv6 unicast
  neighbor {gobgp} activate
  neighbor {gobgp} soft-reconfiguration inbound
  neighbor {gobgp} route-map from-gobgp in
  neighbor {gobgp} route-map to-gobgp out
  network 2001:db8:1::/48
 exit-address-family
 bmp targets collector
  bmp stats interval 20000
  bmp monitor ipv4 unicast pre-policy
  bmp monitor ipv4 unicast post-policy
  bmp monitor ipv6 unicast pre-policy
  bmp monitor ipv6 unicast post-policy
  bmp connect {collector} port {frr_port} min-retry 100 max-retry 200
 exit
exit
ip prefix-list refused seq 5 permit 203.0.113.64/26
route-map from-gobgp deny 10
 match ip address prefix-list refused
exit
route-map from-gobgp permit 20
 set community 65001:777 additive
exit
route-map to-gobgp permit 10
 set ip next-hop 192.0.2.1
 set ipv6 next-hop global 2001:db8::1
exit
"""

GOBGP_CONFIG = """
[global.config]
  as = 65002
  router-id = "10.0.0.2"
  port = {port}
  local-address-list = ["{gobgp}"]

[[neighbors]]
  [neighbors.config]
    neighbor-address = "{frr}"
    peer-as = 65001
  [neighbors.transport.config]
    local-address = "{gobgp}"
    remote-port = {port}
  [neighbors.timers.config]
    connect-retry = 1
    idle-hold-time-after-reset = 1
    hold-time = 9
    keepalive-interval = 3
  [[neighbors.afi-safis]]
    [neighbors.afi-safis.config]
      afi-safi-name = "ipv4-unicast"
  [[neighbors.afi-safis]]
    [neighbors.afi-safis.config]
      afi-safi-name = "ipv6-unicast"

[[bmp-servers]]
  [bmp-servers.config]
    address = "{collector}"
    port = {gobgp_port}
    route-monitoring-policy = "all"
    statistics-timeout = 15
"""


class Recorder:
    """A collector that writes down what one router sends."""

    def __init__(self):
        self.server = socket.create_server((COLLECTOR, 0))
        self.port = self.server.getsockname()[1]
        self.bytes = bytearray()
        self.quiet_since = time.monotonic()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        with contextlib.suppress(OSError):
            connection, _ = self.server.accept()
            while chunk := connection.recv(65536):
                self.bytes += chunk
                self.quiet_since = time.monotonic()

    def close(self):
        self.server.close()


def with_add_path(frr_config, gobgp_config):
    """Both ways and of both families, for any number of paths."""
    activate = "  neighbor {gobgp} activate\n"
    unicast = '-unicast"\n'
    return (frr_config.replace(
                activate,
                activate + "  neighbor {gobgp} addpath-tx-all-paths\n"),
            gobgp_config.replace(
                unicast, unicast +
                "    [neighbors.afi-safis.add-paths.config]\n"
                "      receive = true\n      send-max = 8\n"))


class Lab:
    def __init__(self, folder, frr, gobgp,
                 configs=(FRR_CONFIG, GOBGP_CONFIG)):
        """frr and gobgp are where the two report to: see Recorder."""
        self.folder = pathlib.Path(folder)
        self.configs = configs
        self.processes = []
        self.frr = frr
        self.gobgp = gobgp

    def start(self, name, argv):
        log = open(self.folder / f"{name}.out", "wb")
        self.processes.append(subprocess.Popen(
            ["timeout", "180", *argv], stdout=log, stderr=log))

    def start_routers(self):
        names = dict(folder=self.folder, frr=FRR, gobgp=GOBGP,
                     collector=COLLECTOR, port=BGP_PORT,
                     frr_port=self.frr.port, gobgp_port=self.gobgp.port)
        frr_conf = self.folder / "bgpd.conf"
        frr_conf.write_text(self.configs[0].format(**names))
        gobgp_conf = self.folder / "gobgpd.conf"
        gobgp_conf.write_text(self.configs[1].format(**names))
        self.start("gobgpd", ["gobgpd", "-f", str(gobgp_conf),
                              "--api-hosts", f"127.0.0.1:{GOBGP_API}"])
        self.start_frr()

    def start_frr(self):
        frr_conf = self.folder / "bgpd.conf"
        self.start("bgpd", [BGPD, "-M", "bmp", "-n", "-S", "-Z",
                            "-u", "root", "-g", "root", "-f", str(frr_conf),
                            "-p", str(BGP_PORT), "-l", FRR,
                            "-i", str(self.folder / "bgpd.pid"),
                            "--vty_socket", str(self.folder), "-P", "0"])

    def restart_frr(self):
        """Without a word to anybody, as a crash would."""
        (self.folder / "bgpd.pid").exists() and os.kill(
            int((self.folder / "bgpd.pid").read_text()), signal.SIGKILL)
        self.processes.pop().wait(timeout=20)
        self.start_frr()

    def stop(self):
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.wait(timeout=20)
        self.frr.close()
        self.gobgp.close()

    def gobgp_cli(self, *words):
        run = subprocess.run(
            ["gobgp", "-p", str(GOBGP_API), *words],
            capture_output=True, text=True, timeout=20)
        if run.returncode != 0:
            raise RuntimeError(f"gobgp {words}: {run.stdout}{run.stderr}")
        return run.stdout

    def vtysh(self, *commands):
        argv = ["vtysh", "--vty_socket", str(self.folder), "-d", "bgpd"]
        for command in commands:
            argv += ["-c", command]
        run = subprocess.run(argv, capture_output=True, text=True, timeout=20)
        if run.returncode != 0:
            raise RuntimeError(f"vtysh {commands}: {run.stdout}{run.stderr}")
        return run.stdout

    def established(self):
        with contextlib.suppress(RuntimeError):
            return "Establ" in self.gobgp_cli("neighbor")
        return False

    def wait_for(self, what, condition):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if condition():
                return
            time.sleep(0.2)
        raise RuntimeError(f"waited in vain for {what}")

    def settle(self, seconds=3):
        """Until neither router has said anything for a while."""
        start = time.monotonic()
        # Statistics come now and then: do not wait for ever.
        while time.monotonic() < start + 15:
            last = max(start, self.frr.quiet_since, self.gobgp.quiet_since)
            if time.monotonic() - last > seconds:
                return
            time.sleep(0.2)

    def announce(self, prefix, *words):
        family = "ipv6" if ":" in prefix else "ipv4"
        self.gobgp_cli("global", "rib", "-a", family, "add", prefix, *words)

    def withdraw(self, prefix):
        family = "ipv6" if ":" in prefix else "ipv4"
        self.gobgp_cli("global", "rib", "-a", family, "del", prefix)


# What GoBGP announces first: prefix, words for its command line, and what FRR
# must say of it. FRR 8.4 shows a path as it would pass it on: with its own AS
# in front, before and after policy.
FIRST = [
    ("203.0.113.0/26", ["nexthop", NEXT_HOP, "community", "65002:1,65002:2", "med", "10"],
     {"asPath": [65001, 65002], "communities": ["65002:1", "65002:2"],
      "multiExitDisc": 10}),
    ("203.0.113.64/26", ["nexthop", NEXT_HOP], {"asPath": [65001, 65002]}),
    ("203.0.113.128/25", ["nexthop", NEXT_HOP, "aspath", "65010,4200000001"],
     {"asPath": [65001, 65002, 65010, 4200000001]}),
    ("2001:db8:2::/48", ["nexthop", "2001:db8::2", "large-community",
                         "65002:7:8"],
     {"asPath": [65001, 65002], "largeCommunities": ["65002:7:8"]}),
    ("2001:db8:2:1::/64", ["nexthop", "2001:db8::2"], {"asPath": [65001, 65002]}),
]


def scenario(lab):
    """Do things to the routers; return what must be found in their BMP."""
    lab.wait_for("the BGP session", lab.established)
    for prefix, words, _ in FIRST:
        lab.announce(prefix, *words)
    lab.settle()

    # A path change, a change of communities, a withdrawal.
    lab.announce("203.0.113.128/25", "nexthop", NEXT_HOP, "aspath", "65020,65021,65022")
    lab.announce("203.0.113.0/26", "nexthop", NEXT_HOP, "community", "65002:3", "med", "20")
    lab.withdraw("2001:db8:2:1::/64")
    lab.settle()

    # FRR stops announcing a route, and starts another.
    lab.vtysh("configure terminal", "router bgp 65001",
              "address-family ipv4 unicast", "no network 198.51.100.128/25",
              "network 192.0.2.0/24")
    lab.settle()

    # A flap: GoBGP ends the session, then takes it up again.
    lab.gobgp_cli("neighbor", FRR, "disable")
    lab.wait_for("the session to go down", lambda: not lab.established())
    lab.settle()
    lab.gobgp_cli("neighbor", FRR, "enable")
    lab.wait_for("the session to come back", lab.established)
    lab.settle(5)


def expectations():
    """By file: events in order of first appearance, and the final tables."""
    changed = [
        {"prefix": "203.0.113.128/25", "asPath": [65001, 65002, 65020, 65021, 65022]},
        {"prefix": "203.0.113.0/26", "asPath": [65001, 65002],
         "communities": ["65002:3"], "multiExitDisc": 20},
    ]
    # FRR 8.4 says "withdrawn" of a refused route, even before policy.
    refused = "203.0.113.64/26"
    from_gobgp = {
        "203.0.113.0/26": [65001, 65002],
        "203.0.113.128/25": [65001, 65002, 65020, 65021, 65022],
        "2001:db8:2::/48": [65001, 65002],
    }
    first = [dict(prefix=p, **want) for p, _, want in FIRST if p != refused]
    from_frr = {
        "198.51.100.0/24": [65001],
        "192.0.2.0/24": [65001],
        "2001:db8:1::/48": [65001],
    }
    return {
        "frr.bmp": {
            "router": "FRR, AS 65001, monitored peer GoBGP 127.0.10.2",
            "peer": {"peerAddr": GOBGP, "peerAsn": 65002,
                     "peerBgpId": "10.0.0.2"},
            "peerUps": 2, "peerDowns": 1,
            "prePolicy": {
                "announced": first + changed,
                "withdrawn": ["2001:db8:2:1::/64", refused],
                "final": from_gobgp,
            },
            "postPolicy": {
                "announced": [
                    {"prefix": "203.0.113.0/26",
                     "communities": ["65001:777", "65002:1", "65002:2"]},
                    {"prefix": "203.0.113.0/26",
                     "communities": ["65001:777", "65002:3"]},
                ],
                "withdrawn": ["2001:db8:2:1::/64", refused],
                "final": from_gobgp,
            },
        },
        "gobgp.bmp": {
            "router": "GoBGP, AS 65002, monitored peer FRR 127.0.10.1",
            "peer": {"peerAddr": FRR, "peerAsn": 65001,
                     "peerBgpId": "10.0.0.1"},
            "peerUps": 2, "peerDowns": 1,
            "prePolicy": {
                "announced": [
                    {"prefix": "198.51.100.0/24", "asPath": [65001]},
                    {"prefix": "198.51.100.128/25", "asPath": [65001]},
                    {"prefix": "2001:db8:1::/48", "asPath": [65001]},
                    {"prefix": "192.0.2.0/24", "asPath": [65001]},
                ],
                "withdrawn": ["198.51.100.128/25"],
                "final": from_frr,
            },
            "postPolicy": {"final": from_frr},
            "locRib": {
                "announced": [
                    {"prefix": "203.0.113.0/26",
                     "communities": ["65002:1", "65002:2"],
                     "multiExitDisc": 10},
                    {"prefix": "203.0.113.0/26",
                     "communities": ["65002:3"], "multiExitDisc": 20},
                    {"prefix": "203.0.113.128/25",
                     "asPath": [65010, 4200000001]},
                    {"prefix": "203.0.113.128/25",
                     "asPath": [65020, 65021, 65022]},
                    {"prefix": "198.51.100.0/24", "asPath": [65001]},
                ],
                "withdrawn": ["2001:db8:2:1::/64", "198.51.100.128/25"],
            },
        },
    }


def versions():
    first = {}
    for name, argv in (("frr", [BGPD, "--version"]),
                       ("gobgp", ["gobgpd", "--version"])):
        out = subprocess.run(argv, capture_output=True, text=True, timeout=20)
        first[name] = out.stdout.splitlines()[0].strip()
    return first


def main():
    folder = tempfile.mkdtemp(prefix="record-")
    lab = Lab(folder, Recorder(), Recorder())
    try:
        lab.start_routers()
        scenario(lab)
        # What the routers say while they are stopped is not part of it.
        recorded = {"frr.bmp": bytes(lab.frr.bytes),
                    "gobgp.bmp": bytes(lab.gobgp.bytes)}
    finally:
        lab.stop()
        if "--keep-logs" in sys.argv:
            print(f"logs: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    for name, data in recorded.items():
        (HERE / name).write_bytes(data)
        print(f"{name}: {len(data)} bytes")
    (HERE / "expected.json").write_text(json.dumps(
        {"versions": versions(), "files": expectations()}, indent=1) + "\n")


if __name__ == "__main__":
    main()
