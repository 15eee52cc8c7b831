// What in a status needs somebody to look, with what to do about it. The order
// is by how soon.

import { bytes, count, duration, plural } from "./format.js";
import { link } from "./url.js";

const SNAPSHOT_LATE_S = 600;
const FILL_HIGH = 0.8;

function output({ output: o }) {
	if (!o)
		return [];
	const found = [];

	if (o.diskFull)
		found.push({ tone: "down", title: "The disk is full",
			text: "Routers are not read until there is room. Nothing "
				+ "is lost, but their tables grow old." });
	if (o.spooling)
		found.push({ tone: "stale", title: "The broker is away or slow",
			text: `${bytes(o.spoolBytes)} wait in the spool and are `
				+ `published in order once it is back.${
					o.lastError ? ` It said: ${o.lastError}` : ""}` });
	return found;
}

function readiness({ ready }) {
	return ready && !ready.ready ? [{ tone: "down", title: "Not ready",
		text: ready.why || "Routes are being restored." }] : [];
}

function peers({ totals }) {
	return totals?.peersStale ? [{ tone: "stale",
		title: `${plural(totals.peersStale, "peer")} stale`,
		text: "Their router is away; their routes are kept for the stale "
			+ "hold, then withdrawn.",
		href: link(["peers"], { state: "stale" }) }] : [];
}

function differences({ totals }) {
	return totals?.routersCountMismatch ? [{ tone: "stale",
		title: `${plural(totals.routersCountMismatch, "router")} counting `
			+ "other than this collector",
		text: "Small differences pass; one that stays calls for a new "
			+ "session of that router.",
		href: link(["routers"], { sort: "difference",
			order: "descending" }) }] : [];
}

function clashes({ totals }) {
	return totals?.routersClashing ? [{ tone: "down",
		title: `Another connection claims to be ${
			plural(totals.routersClashing, "router")}`,
		text: "It was refused, and the router that was here goes on. The "
			+ "log says who it was (router_clash); see also the events.",
		href: link(["events"], { filter: "clash" }) }] : [];
}

function workers({ workers: list = [] }) {
	const full = list.filter((w) => w.bridge?.fill > FILL_HIGH);

	return full.length ? [{ tone: "stale",
		title: `The bridge of ${plural(full.length, "worker")} is nearly `
			+ "full", text: "The output does not keep up; when it is "
			+ "full, routers are read more slowly." }] : [];
}

function snapshots({ snapshots: s, totals }) {
	const found = [];

	if (!s || !totals?.routers)
		return found;
	if (s.failures)
		found.push({ tone: "stale",
			title: `${plural(s.failures, "snapshot")} failed`,
			text: `Look into the log, and for room in ${s.where}.` });
	const late = s.oldestAt
		? (Date.now() - Date.parse(s.oldestAt)) / 1000 : 0;

	if (late > SNAPSHOT_LATE_S)
		found.push({ tone: "stale", title: "Snapshots are late",
			text: `The oldest is ${duration(late)} old; a restart `
				+ "would have to read as much of the stream." });
	return found;
}

export function concerns(status) {
	return [readiness, output, clashes, peers, differences, workers,
		snapshots]
		.flatMap((look) => look(status));
}

export function allIsWell(status) {
	const { peersUp = 0, routers = 0 } = status.totals ?? {};

	if (!routers)
		return "It waits for the first router.";
	return `${count(peersUp)} ${peersUp === 1 ? "peer" : "peers"} of ${
		plural(routers, "router")} up, output accepting.`;
}
