// The history of a router or a peer: a band of the states it was in, to scale,
// and below it what happened, newest first.

import { age, fullTime } from "./time.js";
import { el } from "./dom.js";
import { duration, moment } from "./format.js";
import { eventTitle, eventTone } from "./events.js";

// The state that an entry begins.
const BEGINS = { peerUp: "up", sessionOpen: "up", peerDown: "down",
	sessionClose: "stale", stale: "stale", clash: "down" };

// Each state with the entry that began it and how long it lasted.
function spans(history, now) {
	const beginnings = history.filter((entry) => BEGINS[entry.kind]);

	return beginnings.map((entry, i) => {
		const from = Date.parse(entry.at);
		const to = i + 1 < beginnings.length
			? Date.parse(beginnings[i + 1].at) : now;

		return { entry, from, seconds: Math.max(0, to - from) / 1000,
			state: BEGINS[entry.kind] };
	});
}

function bandPart(span) {
	const part = el("span", { class: `part ${span.state}`,
		title: `${span.state} for ${duration(span.seconds)} from ${
			moment(new Date(span.from))}` });

	// What was short stays visible: an outage of seconds in a week is
	// what one looks for.
	part.style.flexGrow = String(Math.max(span.seconds, 0.001));
	return part;
}

// The state one is in still lasts, so that its age grows.
function lasted(entry, all) {
	const at = all.findIndex((span) => span.entry === entry);

	if (at < 0)
		return "";
	return at === all.length - 1 ? age(entry.at)
		: duration(all[at].seconds);
}

function entryLine(entry, all) {
	return el("li", { class: eventTone(entry) },
		el("span", { class: "when" }, fullTime(entry.at)),
		el("span", { class: "what" }, eventTitle(entry)),
		el("span", { class: "why" }, entry.text || entry.reason || ""),
		el("span", { class: "lasted" }, lasted(entry, all)));
}

export function timeline(history) {
	if (!history?.length)
		return el("p", { class: "note" }, "Nothing has happened since the "
			+ "collector began to keep a history.");
	const all = spans(history, Date.now());

	return el("div", { class: "timeline" },
		el("div", { class: "band", "aria-hidden": "true" },
			all.map(bandPart)),
		el("ol", { reversed: true }, history.map((entry) =>
			entryLine(entry, all)).reverse()));
}
