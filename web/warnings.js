// Warnings: what in a status needs an operator, and what to do about it, the
// most urgent first.

import { formatBytes, formatCount, formatDuration, formatPlural }
	from "./format.js";
import { pageHash } from "./url.js";

const SNAPSHOT_LATE_S = 600;
const FILL_HIGH = 0.8;

function outputWarnings({ output: o }) {
	if (!o)
		return [];
	const found = [];

	if (o.status === "stopped")
		found.push({ level: "down", title: `Output stopped: ${o.cause}`,
			text: `${o.why}. Routers wait, and their tables grow old. `
				+ `Do: ${o.action}.` });
	if (o.status === "degraded")
		found.push({ level: "stale", title: `Output degraded: ${o.cause}`,
			text: `${o.why}. ${formatBytes(o.spoolBytes)} wait in the spool `
				+ `and are published in order. Do: ${o.action}.` });
	return found;
}

function readinessWarnings({ ready }) {
	return ready && !ready.ready ? [{ level: "down", title: "Not ready",
		text: ready.why || "Routes are being restored." }] : [];
}

function peerWarnings({ totals }) {
	return totals?.peersStale ? [{ level: "stale",
		title: `${formatPlural(totals.peersStale, "peer")} stale`,
		text: "Their router is away; their routes are kept for the stale "
			+ "hold, then withdrawn.",
		href: pageHash(["peers"], { state: "stale" }) }] : [];
}

function differenceWarnings({ totals }) {
	return totals?.routersCountMismatch ? [{ level: "stale",
		title: `${formatPlural(totals.routersCountMismatch, "router")} counting `
			+ "other than this collector",
		text: "Small differences pass; one that stays calls for a new "
			+ "session of that router.",
		href: pageHash(["routers"], { sort: "difference",
			order: "descending" }) }] : [];
}

function clashWarnings({ totals }) {
	return totals?.routersClashing ? [{ level: "down",
		title: `Another connection claims to be ${
			formatPlural(totals.routersClashing, "router")}`,
		text: "It was refused, and the router that was here goes on. The "
			+ "log says who it was (router_clash); see also the events.",
		href: pageHash(["events"], { filter: "clash" }) }] : [];
}

function rateWarnings({ totals }) {
	return totals?.routersOverOutputRate ? [{ level: "stale",
		title: `${formatPlural(totals.routersOverOutputRate, "router")} above `
			+ "--max-output-rate",
		text: "Read more slowly than it sends, so what it says comes "
			+ "late; the log says which (output_rate_exceeded).",
		href: pageHash(["routers"]) }] : [];
}

function workerWarnings({ workers: list = [] }) {
	const full = list.filter((w) => w.bridge?.fill > FILL_HIGH);

	return full.length ? [{ level: "stale",
		title: `The bridge of ${formatPlural(full.length, "worker")} is nearly `
			+ "full", text: "The output does not keep up; when it is "
			+ "full, routers are read more slowly." }] : [];
}

function snapshotWarnings({ snapshots: s, totals }) {
	const found = [];

	if (!s || !totals?.routers)
		return found;
	if (s.failures)
		found.push({ level: "stale",
			title: `${formatPlural(s.failures, "snapshot")} failed`,
			text: `Look into the log, and for room in ${s.where}.` });
	const late = s.oldestAt
		? (Date.now() - Date.parse(s.oldestAt)) / 1000 : 0;

	if (late > SNAPSHOT_LATE_S)
		found.push({ level: "stale", title: "Snapshots are late",
			text: `The oldest is ${formatDuration(late)} old; a restart `
				+ "would have to read as much of the stream." });
	return found;
}

export function statusWarnings(status) {
	return [readinessWarnings, outputWarnings, clashWarnings, rateWarnings,
		peerWarnings, differenceWarnings, workerWarnings, snapshotWarnings]
		.flatMap((check) => check(status));
}

export function noWarningText(status) {
	const { peersUp = 0, routers = 0 } = status.totals ?? {};

	if (!routers)
		return "It waits for the first router.";
	return `${formatCount(peersUp)} ${peersUp === 1 ? "peer" : "peers"} of ${
		formatPlural(routers, "router")} up, output accepting.`;
}
