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

const [port, stream = 'ARANCINI', filter = 'arancini.updates.>'] =
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

// Where the compiler put the fields: tests/system/test_consumers.py checks
// them against the schema.
const AT = { peerAsn: 24, prefixLen: 18, announced: 154 };
const PTR = { routerAddr: 0, peerAddr: 1, prefixAddr: 2, asPath: 4, nextHop: 5 };

function apply(payload) {
	for (const u of structs(payload)) {
		const key = [address(u.bytes(PTR.peerAddr)),
			address(u.bytes(PTR.prefixAddr)) + '/' +
			u.uint(AT.prefixLen, 1)].join(' ');
		if (u.bit(AT.announced))
			table.set(key, address(u.bytes(PTR.nextHop)) + ' ' +
				u.numbers(PTR.asPath).join(' '));
		else
			table.delete(key);
	}
}

function done() {
	for (const key of [...table.keys()].sort())
		console.log(key + ' ' + table.get(key));
	process.exit(0);
}

// NATS
const socket = net.connect(Number(port), '127.0.0.1');
let pending = Buffer.alloc(0);

function request(subject, body, reply) {
	socket.write(`PUB ${subject} ${reply} ${body.length}\r\n${body}\r\n`);
}

// The consumer's state may be told after its first messages came: each of them
// says itself how many are behind it, in the subject it wants its ack on.
function message(subject, reply, headers, data) {
	if (subject === '_INBOX.info') {
		const { error, num_pending, delivered } = JSON.parse(data);
		if (error)
			throw new Error(error.description);
		if (num_pending === 0 && delivered.consumer_seq === 0)
			done();
		return;
	}
	if (headers.includes('Content-Encoding'))
		throw new Error('only plain batches are read here');
	apply(Buffer.from(data));
	if (Number(reply.split('.').at(-1)) === 0)
		done();
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
	if (length > 0) {
		const split = words[0] === 'HMSG' ? Number(words.at(-2)) : 0;
		message(words[1], words[3], body.subarray(0, split).toString(),
			body.subarray(split));
	}
	return true;
}

socket.on('data', (chunk) => {
	pending = Buffer.concat([pending, chunk]);
	while (take())
		;
});
socket.write('CONNECT {"verbose":false,"headers":true}\r\n' +
	'SUB _INBOX.info 1\r\nSUB _INBOX.data 2\r\n');
request(`$JS.API.CONSUMER.CREATE.${stream}`, JSON.stringify({
	stream_name: stream,
	config: {
		deliver_subject: '_INBOX.data', deliver_policy: 'all',
		ack_policy: 'none', filter_subject: filter,
	},
}), '_INBOX.info');
