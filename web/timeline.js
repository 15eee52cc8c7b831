// The history of a router or a peer: a band of the states it was in, to scale,
// and below it what happened, newest first.

import { ageElement, dateTimeElement } from "./time.js";
import { el } from "./dom.js";
import { formatDuration, formatDateTime } from "./format.js";
import { eventTitle, eventLevel } from "./events.js";

// The state that an entry begins.
const BEGINS = { peerUp: "up", sessionOpen: "up", peerDown: "down",
	sessionClose: "stale", stale: "stale", clash: "down" };

// Each state with the entry that began it and how long it lasted.
function stateSpans(history, now) {
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
		title: `${span.state} for ${formatDuration(span.seconds)} from ${
			formatDateTime(new Date(span.from))}` });

	// What was short stays visible: an outage of seconds in a week is
	// what one looks for.
	part.style.flexGrow = String(Math.max(span.seconds, 0.001));
	return part;
}

// The state one is in still lasts, so that its age grows.
function durationOf(entry, spans) {
	const at = spans.findIndex((span) => span.entry === entry);

	if (at < 0)
		return "";
	return at === spans.length - 1 ? ageElement(entry.at)
		: formatDuration(spans[at].seconds);
}

function entryLine(entry, spans) {
	return el("li", { class: eventLevel(entry) },
		el("span", { class: "when" }, dateTimeElement(entry.at)),
		el("span", { class: "what" }, eventTitle(entry)),
		el("span", { class: "why" }, entry.text || entry.reason || ""),
		el("span", { class: "lasted" }, durationOf(entry, spans)));
}

export function timeline(history) {
	if (!history?.length)
		return el("p", { class: "note" }, "Nothing has happened since the "
			+ "collector began to keep a history.");
	const spans = stateSpans(history, Date.now());

	return el("div", { class: "timeline" },
		el("div", { class: "band", "aria-hidden": "true" },
			spans.map(bandPart)),
		el("ol", { reversed: true }, history.map((entry) =>
			entryLine(entry, spans)).reverse()));
}
