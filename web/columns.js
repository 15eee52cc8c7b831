// The columns of routers and of peers, which more than one view shows.

import { age } from "./time.js";
import { differenceMark, state, stateRank } from "./badges.js";
import { el } from "./dom.js";
import { count } from "./format.js";
import { link } from "./url.js";
import { tokenText } from "./router-token.js";

function time(at) {
	return at ? Date.parse(at) : null;
}

export function routerName(router) {
	return router.sysName || router.routerId || router.routerAddr
		|| router.id;
}

export function routerLink(token, text = tokenText(token)) {
	return el("a", { href: link(["routers", token]) }, text);
}

export function peerLink(router, peer, text) {
	return el("a", { href: link(["peers", router, peer]) }, text);
}

// "10 / 12" where some are missing, "12" where none is.
function upOfAll(up, all) {
	return up === all ? count(all) : `${count(up)} / ${count(all)}`;
}

export const routerColumns = [
	{ id: "router", title: "Router", value: (r) => r.routerAddr ?? r.id,
		show: (r) => routerLink(r.id, r.routerAddr ?? r.id),
		class: "mono" },
	{ id: "name", title: "Name", value: (r) => r.sysName || r.routerId
		|| null },
	{ id: "state", title: "State", value: (r) => stateRank(r.state),
		show: (r) => state(r.state) },
	{ id: "peers", title: "Peers up", numeric: true, value: (r) => r.peersUp,
		show: (r) => upOfAll(r.peersUp, r.peers) },
	{ id: "routes", title: "Routes", numeric: true,
		value: (r) => r.routes, show: (r) => count(r.routes) },
	{ id: "difference", title: "Difference", numeric: true,
		value: (r) => r.difference,
		show: (r) => differenceMark(r.difference) },
	{ id: "messages", title: "Messages", numeric: true,
		value: (r) => r.messages, show: (r) => count(r.messages) },
	{ id: "errors", title: "Errors", numeric: true,
		value: (r) => r.parseErrors, show: (r) => count(r.parseErrors) },
	{ id: "heard", title: "Last message", numeric: true,
		value: (r) => time(r.lastMessageAt),
		show: (r) => age(r.lastMessageAt) },
	{ id: "since", title: "Session", numeric: true,
		value: (r) => time(r.connectedAt),
		show: (r) => age(r.state === "up" ? r.connectedAt : null) },
	{ id: "worker", title: "Worker", value: (r) => r.worker },
];

// Of the tables of a peer, how many the router has finished sending.
function ended(peer) {
	const tables = peer.tables ?? [];

	return { done: tables.filter((t) => t.endOfRib).length,
		all: tables.length };
}

function endOfRib(peer) {
	const { done, all } = ended(peer);

	if (all === 0)
		return el("span", { class: "none" }, "–");
	return el("span", { class: done === all ? "agrees" : "differs" },
		done === all ? "all" : `${done} / ${all}`);
}

export const peerColumns = [
	{ id: "peer", title: "Peer", value: (p) => p.peerAddr,
		show: (p) => peerLink(p.router, p.id, p.peerAddr),
		class: "mono" },
	{ id: "asn", title: "AS", value: (p) => p.peerAsn,
		show: (p) => String(p.peerAsn ?? "–") },
	{ id: "router", title: "Router", value: (p) => tokenText(p.router),
		show: (p) => routerLink(p.router), class: "mono" },
	{ id: "state", title: "State", value: (p) => stateRank(p.state),
		show: (p) => state(p.state) },
	{ id: "routes", title: "Routes", numeric: true,
		value: (p) => p.routes, show: (p) => count(p.routes) },
	{ id: "ended", title: "End-of-RIB", numeric: true,
		value: (p) => ended(p).all - ended(p).done, show: endOfRib },
	{ id: "difference", title: "Difference", numeric: true,
		value: (p) => p.difference,
		show: (p) => differenceMark(p.difference) },
	{ id: "flaps", title: "Flaps", numeric: true, value: (p) => p.flaps,
		show: (p) => count(p.flaps) },
	{ id: "changed", title: "Last change", numeric: true,
		value: (p) => time(p.lastChangeAt),
		show: (p) => age(p.lastChangeAt) },
	{ id: "up", title: "Up for", numeric: true, value: (p) => time(p.upAt),
		show: (p) => age(p.state === "up" ? p.upAt : null) },
];

export const tableColumns = [
	{ id: "view", title: "View", value: (t) => t.view },
	{ id: "family", title: "Family", value: (t) => t.family },
	{ id: "routes", title: "Routes", numeric: true,
		value: (t) => t.routes, show: (t) => count(t.routes) },
	{ id: "theirs", title: "Router says", numeric: true,
		value: (t) => t.routerCount, show: (t) => count(t.routerCount) },
	{ id: "difference", title: "Difference", numeric: true,
		value: (t) => t.difference,
		show: (t) => differenceMark(t.difference) },
	{ id: "ended", title: "End-of-RIB", value: (t) => Number(t.endOfRib),
		show: (t) => el("span", { class: t.endOfRib ? "agrees"
			: "differs" }, t.endOfRib ? "received" : "not yet") },
	{ id: "trust", title: "Contents", value: trust,
		show: (t) => el("span", { class: trust(t) === "sound" ? "agrees"
			: "differs" }, trust(t)) },
	{ id: "sequence", title: "Sequence", numeric: true,
		value: (t) => t.sequence, show: (t) => count(t.sequence) },
];

// suspect: a part could not be read; unknown: something was dropped.
function trust(table) {
	if (table.unknown)
		return "unknown";
	return table.suspect ? "suspect" : "sound";
}
