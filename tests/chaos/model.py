"""What the routers hold: the truth that consumers' tables are compared with.

A Router changes its tables at random and says with which BMP messages it tells
so. It knows nothing of connections: actors.py sends the messages, and a whole
dump at the beginning of each session."""

import ipaddress
import typing

import bmp

# How many routes one UPDATE of a dump has at most.
DUMP_ROUTES = 40


class Value(typing.NamedTuple):
    """The attributes of a route, as far as they are compared."""
    origin: int
    as_path: tuple
    next_hop: bytes
    med: int | None
    local_pref: int | None
    communities: tuple
    large: tuple


class Table(typing.NamedTuple):
    """One table of one peer of one router: the unit that `sequence` counts."""
    router: str
    kind: int
    distinguisher: int
    peer: bytes
    post: bool
    out: bool
    loc_rib: bool
    afi: int
    safi: int


def random_value(rng, asn, afi):
    hop = f"192.0.2.{rng.randrange(1, 9)}" if afi == bmp.IPV4 else \
        f"2001:db8::{rng.randrange(1, 9):x}"
    optional = rng.random() < 0.5
    return Value(
        origin=rng.randrange(3),
        as_path=(asn,) + tuple(rng.randrange(1, 400000)
                               for _ in range(rng.randrange(4))),
        next_hop=bmp.mapped16(hop),
        med=rng.randrange(1000) if optional else None,
        local_pref=rng.randrange(1, 1000) if not optional else None,
        communities=tuple(sorted({(64500, rng.randrange(50)) for _ in
                                  range(rng.randrange(4))})),
        large=tuple(sorted({(64500, 1, rng.randrange(50)) for _ in
                            range(rng.randrange(2))})))


class Peer:
    """A peer of a router and its tables.

    tables: (flags of the per-peer header, afi) -> {(path id, address of 16
    bytes, length): Value}."""

    def __init__(self, rng, number, views, prefixes):
        self.number = number
        self.asn = 64500 + number
        self.bgp_id = 0x0a000000 + number
        self.port = 40000
        self.add_path = False
        self.distinguisher = 0
        if "loc-rib" in views:
            # A router may have several: those of VRFs have a distinguisher.
            self.kind = bmp.LOC_RIB_PEER
            self.address = None
            self.distinguisher = number - 2
        else:
            self.kind = bmp.GLOBAL_PEER
            self.address = (f"10.255.0.{number}" if number % 3
                            else f"2001:db8:ffff::{number:x}")
            self.add_path = rng.random() < 0.25
            if rng.random() < 0.2:
                self.kind = bmp.DISTINGUISHED_PEER
                self.distinguisher = (64500 << 32) + number
        self.prefixes = prefixes
        self.lasting = set()    # probes: nothing random takes them away
        self.tables = {(flags, afi): {} for flags in views.values()
                       for afi in (bmp.IPV4, bmp.IPV6)}

    @staticmethod
    def random(rng, number, prefixes):
        views = rng.choice([
            {"pre": 0}, {"pre": 0}, {"pre": 0, "post": bmp.FLAG_POST},
            {"out": bmp.FLAG_OUT | bmp.FLAG_POST}, {"loc-rib": 0}])
        return Peer(rng, number, views, prefixes)

    def schema_table(self, token, flags, afi):
        loc_rib = self.kind == bmp.LOC_RIB_PEER
        return Table(token, self.kind, self.distinguisher,
                     bytes(16) if loc_rib else bmp.mapped16(self.address),
                     bool(flags & bmp.FLAG_POST) and not loc_rib,
                     bool(flags & bmp.FLAG_OUT) and not loc_rib, loc_rib,
                     afi, bmp.UNICAST)

    def random_route(self, rng, afi):
        number = rng.randrange(self.prefixes)
        if afi == bmp.IPV4:
            address = bmp.mapped16(ipaddress.ip_address(
                (10 << 24) + (number << 8)).compressed)
            length = 24
        else:
            address = ipaddress.ip_address(
                (0x20010db8 << 96) + (number << 64)).packed
            length = 64
        path_id = rng.randrange(1, 4) if self.add_path else None
        return path_id, address, length

    def random_table(self, rng):
        return rng.choice(sorted(self.tables))

    def announce(self, rng, count):
        """Some routes with the same attributes."""
        flags, afi = self.random_table(rng)
        value = random_value(rng, self.asn, afi)
        routes = {self.random_route(rng, afi) for _ in range(count)}
        for route in routes:
            self.tables[flags, afi][route] = value
        return bmp.monitoring(self, flags, bmp.announcement(
            afi, value, sorted(routes, key=str)))

    def withdraw(self, rng, count):
        flags, afi = self.random_table(rng)
        table = self.tables[flags, afi]
        routes = sorted(table.keys() - self.lasting, key=str)
        routes = rng.sample(routes, min(count, len(routes)))
        for route in routes:
            del table[route]
        # A withdraw of what is not there is normal, too.
        routes.append(self.random_route(rng, afi))
        table.pop(routes[-1], None)
        return bmp.monitoring(self, flags, bmp.withdrawal(afi, routes))

    def announce_lasting(self, flags, afi, route, value):
        self.tables[flags, afi][route] = value
        self.lasting.add(route)
        return bmp.monitoring(self, flags,
                              bmp.announcement(afi, value, [route]))

    def forget_routes(self):
        for table in self.tables.values():
            for route in table.keys() - self.lasting:
                del table[route]

    def dump(self, with_end_of_rib):
        """Peer Up, then all tables."""
        yield bmp.peer_up(self)
        for (flags, afi), table in self.tables.items():
            by_value = {}
            for route, value in table.items():
                by_value.setdefault(value, []).append(route)
            for value, routes in by_value.items():
                for at in range(0, len(routes), DUMP_ROUTES):
                    yield bmp.monitoring(self, flags, bmp.announcement(
                        afi, value, routes[at:at + DUMP_ROUTES]))
            if with_end_of_rib:
                yield bmp.monitoring(self, flags, bmp.end_of_rib(afi))


class Router:
    """A router: its peers, and what it does next.

    may_vanish: peers may go without a Peer Down while there is no session; the
    collector withdraws their routes when its --stale-hold is over."""

    def __init__(self, rng, address, peers=2, prefixes=200, may_vanish=False,
                 end_of_rib=True):
        self.rng = rng
        self.address = address
        self.token = "v4_" + address.replace(".", "_")
        self.may_vanish = may_vanish
        self.end_of_rib = end_of_rib
        self.prefixes = prefixes
        self.peers = {}
        self.gone = {}      # peers that were de-configured and may return
        for number in range(1, peers + 1):
            # One that any fault can use as a probe is always there.
            self.peers[number] = (
                Peer(rng, number, {"pre": 0}, prefixes) if number == 1
                else Peer.random(rng, number, prefixes))
        for peer in self.peers.values():
            for _ in range(rng.randrange(2, 12)):
                peer.announce(rng, rng.randrange(1, 40))

    def dump(self):
        yield bmp.initiation("chaos-" + self.token)
        for peer in self.peers.values():
            yield from peer.dump(self.end_of_rib)

    def change(self):
        """Something that routers do; its messages."""
        rng = self.rng
        peer = rng.choice(list(self.peers.values()))
        what = rng.random()
        if what < 0.60:
            return [peer.announce(rng, rng.randrange(1, 30))]
        if what < 0.92:
            return [peer.withdraw(rng, rng.randrange(1, 15))]
        if what < 0.95:
            return [bmp.statistics(peer, len(peer.tables))]
        if what < 0.98:
            return self.flap(peer)
        return self.deconfigure_or_return(peer)

    def flap(self, peer, reason=bmp.REMOTE_CLOSED):
        """The peer goes and comes back with another table."""
        messages = [bmp.peer_down(peer, reason)]
        self.renew(peer)
        return messages + list(peer.dump(self.end_of_rib))

    def renew(self, peer):
        peer.port += 1
        peer.forget_routes()
        for _ in range(self.rng.randrange(1, 6)):
            peer.announce(self.rng, self.rng.randrange(1, 30))

    def deconfigure_or_return(self, peer):
        if self.gone:
            _, back = self.gone.popitem()
            self.renew(back)
            self.peers[back.number] = back
            return list(back.dump(self.end_of_rib))
        if peer.number == 1:
            return [peer.withdraw(self.rng, 3)]
        self.gone[peer.number] = self.peers.pop(peer.number)
        return [bmp.peer_down(peer, bmp.DECONFIGURED)]

    def change_unheard(self):
        """What changes while there is no session."""
        rng = self.rng
        for peer in list(self.peers.values()):
            if rng.random() < 0.3:
                self.renew(peer)
            else:
                peer.announce(rng, 5)
                peer.withdraw(rng, 5)
        if self.may_vanish and len(self.peers) > 1 and rng.random() < 0.5:
            number = rng.choice([n for n in self.peers if n != 1])
            self.gone[number] = self.peers.pop(number)

    def leave(self):
        """Every peer goes down in an orderly way."""
        messages = [bmp.peer_down(peer, bmp.REMOTE_CLOSED)
                    for peer in self.peers.values()]
        self.peers.clear()
        return messages

    def probe(self, number):
        """A route that only this call announces, and its key."""
        peer = self.peers[1]
        # An add-path session needs an identifier for each route.
        route = (1 if peer.add_path else None,
                 bmp.mapped16(f"100.{64 + number // 256 % 64}."
                              f"{number % 256}.0"), 24)
        value = random_value(self.rng, peer.asn, bmp.IPV4)
        message = peer.announce_lasting(0, bmp.IPV4, route, value)
        return (peer.schema_table(self.token, 0, bmp.IPV4),) + route, message

    def routes(self):
        """All it holds, by the key of the schema."""
        return {(peer.schema_table(self.token, flags, afi),) + route: value
                for peer in self.peers.values()
                for (flags, afi), table in peer.tables.items()
                for route, value in table.items()}
