// Events of the collector in words and as lines of a list.

import { timeOfDay } from "./time.js";
import { peerLink, routerLink } from "./columns.js";
import { el } from "./dom.js";
import { plural } from "./format.js";
import { tokenText } from "./router-token.js";

const TITLES = { sessionOpen: "Session opened", sessionClose: "Session closed",
	peerUp: "Peer up", peerDown: "Peer down", stale: "Stale",
	endOfRib: "End-of-RIB", swept: "Swept", suspect: "Table suspect",
	unknown: "Table unknown", limit: "Limit reached", resync: "Resync",
	clash: "Identity clash",
	leftOut: "Events left out" };
const TONES = { sessionOpen: "up", peerUp: "up", sessionClose: "stale",
	stale: "stale", suspect: "stale", unknown: "stale", limit: "down",
	peerDown: "down", clash: "down" };

export function eventTitle(event) {
	return TITLES[event.kind] ?? event.kind;
}

export function eventTone(event) {
	return TONES[event.kind] ?? "plain";
}

function peerText(event) {
	return event.peerAsn ? `${event.peerAddr} AS${event.peerAsn}`
		: event.peerAddr;
}

// All that a filter can find in an event.
export function eventWords(event) {
	return [eventTitle(event), event.kind, event.router,
		event.router && tokenText(event.router), event.peerAddr,
		event.peerAsn && `AS${event.peerAsn}`, event.view, event.family,
		event.reason, event.text].filter(Boolean).join(" ").toLowerCase();
}

function details(event) {
	const parts = [event.view, event.family, event.text || event.reason,
		event.routes ? plural(event.routes, "route") : null];

	return parts.filter(Boolean).join(", ");
}

export function eventLine(event) {
	return el("li", { class: eventTone(event) },
		el("span", { class: "when" }, timeOfDay(event.at)),
		el("span", { class: "what" }, eventTitle(event)),
		el("span", { class: "who mono" },
			event.router ? routerLink(event.router) : null,
			event.peer ? [" ", peerLink(event.router, event.peer,
				peerText(event))] : null),
		el("span", { class: "why" }, details(event)));
}
