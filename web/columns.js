// The columns of routers and of peers, which more than one view shows.

import { ageElement } from "./time.js";
import { differenceBadge, stateBadge, stateRank } from "./badges.js";
import { el } from "./dom.js";
import { formatCount } from "./format.js";
import { pageHash } from "./url.js";
import { tokenText } from "./router-token.js";

function timestamp(at) {
	return at ? Date.parse(at) : null;
}

export function routerName(router) {
	return router.sysName || router.routerId || router.routerAddr
		|| router.id;
}

export function routerLink(token, text = tokenText(token)) {
	return el("a", { href: pageHash(["routers", token]) }, text);
}

export function peerLink(router, peer, text) {
	return el("a", { href: pageHash(["peers", router, peer]) }, text);
}

// "10 / 12" where some are missing, "12" where none is.
function upOfAll(up, all) {
	return up === all ? formatCount(all)
		: `${formatCount(up)} / ${formatCount(all)}`;
}

export const routerColumns = [
	{ id: "router", title: "Router", value: (r) => r.routerAddr ?? r.id,
		show: (r) => routerLink(r.id, r.routerAddr ?? r.id),
		class: "mono" },
	{ id: "name", title: "Name", value: (r) => r.sysName || r.routerId
		|| null },
	{ id: "state", title: "State", value: (r) => stateRank(r.state),
		show: (r) => stateBadge(r.state) },
	{ id: "peers", title: "Peers up", numeric: true, value: (r) => r.peersUp,
		show: (r) => upOfAll(r.peersUp, r.peers) },
	{ id: "routes", title: "Routes", numeric: true,
		value: (r) => r.routes, show: (r) => formatCount(r.routes) },
	{ id: "difference", title: "Difference", numeric: true,
		value: (r) => r.difference,
		show: (r) => differenceBadge(r.difference) },
	{ id: "messages", title: "Messages", numeric: true,
		value: (r) => r.messages, show: (r) => formatCount(r.messages) },
	{ id: "errors", title: "Errors", numeric: true,
		value: (r) => r.parseErrors,
		show: (r) => formatCount(r.parseErrors) },
	{ id: "heard", title: "Last message", numeric: true,
		value: (r) => timestamp(r.lastMessageAt),
		show: (r) => ageElement(r.lastMessageAt) },
	{ id: "since", title: "Session", numeric: true,
		value: (r) => timestamp(r.connectedAt),
		show: (r) => ageElement(r.state === "up" ? r.connectedAt : null) },
	{ id: "worker", title: "Worker", value: (r) => r.worker },
];

// Of the tables of a peer, how many the router has finished sending.
function endOfRibCounts(peer) {
	const tables = peer.tables ?? [];

	return { done: tables.filter((t) => t.endOfRib).length,
		all: tables.length };
}

function endOfRibCell(peer) {
	const { done, all } = endOfRibCounts(peer);

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
		show: (p) => stateBadge(p.state) },
	{ id: "routes", title: "Routes", numeric: true,
		value: (p) => p.routes, show: (p) => formatCount(p.routes) },
	{ id: "ended", title: "End-of-RIB", numeric: true,
		value: (p) => endOfRibCounts(p).all - endOfRibCounts(p).done,
		show: endOfRibCell },
	{ id: "difference", title: "Difference", numeric: true,
		value: (p) => p.difference,
		show: (p) => differenceBadge(p.difference) },
	{ id: "flaps", title: "Flaps", numeric: true, value: (p) => p.flaps,
		show: (p) => formatCount(p.flaps) },
	{ id: "changed", title: "Last change", numeric: true,
		value: (p) => timestamp(p.lastChangeAt),
		show: (p) => ageElement(p.lastChangeAt) },
	{ id: "up", title: "Up for", numeric: true, value: (p) => timestamp(p.upAt),
		show: (p) => ageElement(p.state === "up" ? p.upAt : null) },
];

export const tableColumns = [
	{ id: "view", title: "View", value: (t) => t.view },
	{ id: "family", title: "Family", value: (t) => t.family },
	{ id: "routes", title: "Routes", numeric: true,
		value: (t) => t.routes, show: (t) => formatCount(t.routes) },
	{ id: "theirs", title: "Router says", numeric: true,
		value: (t) => t.routerCount,
		show: (t) => formatCount(t.routerCount) },
	{ id: "difference", title: "Difference", numeric: true,
		value: (t) => t.difference,
		show: (t) => differenceBadge(t.difference) },
	{ id: "ended", title: "End-of-RIB", value: (t) => Number(t.endOfRib),
		show: (t) => el("span", { class: t.endOfRib ? "agrees"
			: "differs" }, t.endOfRib ? "received" : "not yet") },
	{ id: "contents", title: "Contents", value: contentsState,
		show: (t) => el("span", { class: contentsState(t) === "sound"
			? "agrees" : "differs" }, contentsState(t)) },
	{ id: "sequence", title: "Sequence", numeric: true,
		value: (t) => t.sequence, show: (t) => formatCount(t.sequence) },
];

// suspect: a part could not be read; unknown: something was dropped.
function contentsState(table) {
	if (table.unknown)
		return "unknown";
	return table.suspect ? "suspect" : "sound";
}
