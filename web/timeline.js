// The history of a router or a peer: a band of the states it was in, to scale,
// and below it what happened, newest first.

import { age, fullTime } from "./ages.js";
import { el } from "./dom.js";
import { duration, moment } from "./format.js";
import { eventTitle, eventTone } from "./happenings.js";

// The state that an entry begins.
const BEGINS = { peerUp: "up", sessionOpen: "up", peerDown: "down",
	sessionClose: "stale", stale: "stale" };

function spans(history, now) {
	return history.map((entry, i) => {
		const from = Date.parse(entry.at);
		const to = i + 1 < history.length
			? Date.parse(history[i + 1].at) : now;

		return { entry, from, seconds: Math.max(0, to - from) / 1000,
			state: BEGINS[entry.kind] ?? "implied" };
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

function entryLine(span, newest) {
	const { entry } = span;
	const lasted = newest ? age(entry.at) : duration(span.seconds);

	return el("li", { class: eventTone(entry) },
		el("span", { class: "when" }, fullTime(entry.at)),
		el("span", { class: "what" }, eventTitle(entry)),
		el("span", { class: "why" }, entry.text || entry.reason || ""),
		el("span", { class: "lasted" }, lasted));
}

export function timeline(history) {
	if (!history?.length)
		return el("p", { class: "note" }, "Nothing has happened since the "
			+ "collector began to keep a history.");
	const all = spans(history, Date.now());

	return el("div", { class: "timeline" },
		el("div", { class: "band", "aria-hidden": "true" },
			all.map(bandPart)),
		el("ol", { reversed: true }, all.map((span, i) =>
			entryLine(span, i === all.length - 1)).reverse()));
}
