#!/usr/bin/env node
// Builds the tables of routers from the stream, with nothing but Node itself:
// the NATS protocol over a socket, and Cap'n Proto read in place.
//
//	table.js PORT [STREAM] [FILTER]
//
// Prints one line for each route that is there when the stream is read to its
// end: peer, prefix, next hop, AS path. It reads plain batches (the default);
// for others run the collector's messages through "arancini tail --raw".
'use strict';
const net = require('net');

const [port, stream = 'ARANCINI', filter = 'arancini.>'] =
	process.argv.slice(2);
const table = new Map();

// Cap'n Proto, as much as Update needs. Offsets of the schema: @0 to @30 are
// a contract, see docs/schema.md; what is beyond the sent words is zero.
class Struct {
	constructor(buf, at, data, ptrs) {
		Object.assign(this, { buf, at, data, ptrs });
	}
	bit(n) {
		const byte = n >> 3;
		return byte < this.data * 8 &&
			(this.buf[this.at + byte] >> (n & 7) & 1) === 1;
	}
	uint(byte, size) {
		return byte + size <= this.data * 8 ?
			this.buf.readUIntLE(this.at + byte, size) : 0;
	}
	wide(byte) {
		return byte + 8 <= this.data * 8 ?
			this.buf.readBigUInt64LE(this.at + byte) : 0n;
	}
	list(n) {
		if (n >= this.ptrs)
			return null;
		const p = this.at + 8 * (this.data + n);
		const lo = this.buf.readInt32LE(p);
		const hi = this.buf.readUInt32LE(p + 4);
		if (lo === 0 && hi === 0)
			return null;
		return { at: p + 8 + 8 * (lo >> 2), count: hi >>> 3 };
	}
	bytes(n) {
		const l = this.list(n);
		return l && this.buf.subarray(l.at, l.at + l.count);
	}
	numbers(n) {
		const l = this.list(n);
		return l ? Array.from({ length: l.count }, (_, i) =>
			this.buf.readUInt32LE(l.at + 4 * i)) : [];
	}
}

function* structs(buf) {
	for (let at = 0; at < buf.length;) {
		const words = buf.readUInt32LE(at + 4);
		const root = at + 8;
		const lo = buf.readInt32LE(root);
		yield new Struct(buf, root + 8 + 8 * (lo >> 2),
			buf.readUInt16LE(root + 4), buf.readUInt16LE(root + 6));
		at = root + 8 * words;
	}
}

function address(bytes) {
	if (!bytes)
		return '-';
	if (bytes.subarray(0, 12).equals(
		Buffer.from('00000000000000000000ffff', 'hex')))
		return [...bytes.subarray(12)].join('.');
	return bytes.toString('hex').match(/.{4}/g).join(':');
}

// Where the compiler put the fields, numbers by byte and flags by bit:
// tests/system/test_consumers.py checks them against the schema.
const AT = {
	prefixLen: 18, isPostPolicy: 152, isAdjRibOut: 153, announced: 154,
	hasPathId: 159, afi: 58, safi: 60, peerType: 62, pathId: 72,
};
const PTR = {
	routerAddr: 0, peerAddr: 1, prefixAddr: 2, asPath: 4, nextHop: 5,
	routerId: 10, nlriKey: 17,
};
const WIDE = { peerDistinguisher: 80, routeDistinguisher: 88 };

// What a person calls the route. A family that is not prefixes has its key.
function name(u) {
	const other = u.bytes(PTR.nlriKey);
	return other ? other.toString('hex') :
		address(u.bytes(PTR.prefixAddr)) + '/' + u.uint(AT.prefixLen, 1);
}

// What identifies a route: see docs/schema.md.
function key(collector, u) {
	return [
		collector,
		u.bytes(PTR.routerId) ?? address(u.bytes(PTR.routerAddr)),
		u.uint(AT.peerType, 1), u.wide(WIDE.peerDistinguisher),
		address(u.bytes(PTR.peerAddr)),
		u.bit(AT.isPostPolicy), u.bit(AT.isAdjRibOut),
		u.uint(AT.afi, 2), u.uint(AT.safi, 1),
		u.bit(AT.hasPathId) ? u.uint(AT.pathId, 4) : '',
		u.wide(WIDE.routeDistinguisher), name(u),
	].join(' ');
}

function update(collector, router, payload) {
	for (const u of structs(payload)) {
		if (u.bit(AT.announced))
			table.set(key(collector, u), { collector, router, text: [
				address(u.bytes(PTR.peerAddr)), name(u),
				address(u.bytes(PTR.nextHop)),
				...u.numbers(PTR.asPath),
			].join(' ') });
		else
			table.delete(key(collector, u));
	}
}

// Whatever we have of this router from this collector: its table comes again.
function forget(collector, router) {
	for (const [key, route] of table)
		if (route.collector === collector && route.router === router)
			table.delete(key);
}

// PREFIX.ROUTER.AS.AFI_SAFI has updates, PREFIX.ROUTER.KIND events.
function apply(collector, subject, payload) {
	const words = subject.split('.');
	if (/^\d+_\d+$/.test(words.at(-1)))
		update(collector, words.at(-3), payload);
	else if (words.at(-1) === 'resync')
		forget(collector, words.at(-2));
}

function done() {
	const text = [...table.values()].map((r) => r.text + '\n').sort().join('');
	// An exit at once would drop what a pipe has not taken yet.
	process.stdout.write(text, () => process.exit(0));
}

// NATS. A pull consumer is asked for some messages at a time, so that no more
// is on its way than is read; when there is none the server says so.
const BATCH = 256;
const SILENCE_MS = 30000;
const socket = net.connect(Number(port), '127.0.0.1');
let pending = Buffer.alloc(0);
let consumer, left;

function request(subject, body, reply) {
	const text = JSON.stringify(body);
	socket.write(`PUB ${subject} ${reply} ${text.length}\r\n${text}\r\n`);
}

function ask() {
	left = BATCH;
	request(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`,
		{ batch: BATCH, no_wait: true }, '_INBOX.data');
}

function message(subject, headers, data) {
	if (subject === '_INBOX.made') {
		const { error, name } = JSON.parse(data);
		if (error)
			throw new Error(error.description);
		consumer = name;
		return ask();
	}
	// A status in place of a message ends the request: "404 No Messages" or,
	// after some, "408 Request Timeout". Then there may be more by now.
	const status = /^NATS\/1\.0 (\d+) (.*)/.exec(headers);
	if (status && status[1] !== '404' && status[1] !== '408')
		throw new Error(status[2]);
	if (status)
		return left === BATCH ? done() : ask();
	if (headers.includes('Content-Encoding'))
		throw new Error('only plain batches are read here');
	const collector = /^Arancini-Collector: *(.*)$/m.exec(headers);
	apply(collector?.[1].trim(), subject, Buffer.from(data));
	if (--left === 0)
		ask();
}

function take() {
	const end = pending.indexOf('\r\n');
	if (end < 0)
		return false;
	const words = pending.subarray(0, end).toString().split(' ');
	const length = /^H?MSG$/.test(words[0]) ? Number(words.at(-1)) + 2 : 0;
	if (pending.length < end + 2 + length)
		return false;
	const body = pending.subarray(end + 2, end + length);
	pending = pending.subarray(end + 2 + length);
	if (words[0] === 'PING')
		socket.write('PONG\r\n');
	if (words[0] === '-ERR')
		throw new Error(words.slice(1).join(' '));
	if (length > 0) {
		const split = words[0] === 'HMSG' ? Number(words.at(-2)) : 0;
		message(words[1], body.subarray(0, split).toString(),
			body.subarray(split));
	}
	return true;
}

socket.on('data', (chunk) => {
	pending = Buffer.concat([pending, chunk]);
	while (take())
		;
});
socket.on('close', () => {
	throw new Error('the server has closed the connection');
});
socket.setTimeout(SILENCE_MS, () => {
	throw new Error('the server says nothing');
});
socket.write('CONNECT {"verbose":false,"headers":true}\r\n' +
	'SUB _INBOX.made 1\r\nSUB _INBOX.data 2\r\n');
request(`$JS.API.CONSUMER.CREATE.${stream}`, {
	stream_name: stream,
	config: {
		deliver_policy: 'all', ack_policy: 'none',
		filter_subject: filter, inactive_threshold: 60e9,
	},
}, '_INBOX.made');
