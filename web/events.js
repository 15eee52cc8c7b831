// Events of the collector in words and as lines of a list.

import { timeOfDayElement } from "./time.js";
import { peerLink, routerLink } from "./columns.js";
import { el } from "./dom.js";
import { formatPlural } from "./format.js";
import { tokenText } from "./router-token.js";

const TITLES = { sessionOpen: "Session opened", sessionClose: "Session closed",
	peerUp: "Peer up", peerDown: "Peer down", stale: "Stale",
	endOfRib: "End-of-RIB", swept: "Swept", suspect: "Table suspect",
	unknown: "Table unknown", limit: "Limit reached", resync: "Resync",
	clash: "Identity clash", messagesLost: "Messages lost", overrun: "Events left out" };
const LEVELS = { sessionOpen: "up", peerUp: "up", sessionClose: "stale",
	stale: "stale", suspect: "stale", unknown: "stale", limit: "down",
	peerDown: "down", clash: "down", messagesLost: "stale" };

export function eventTitle(event) {
	return TITLES[event.kind] ?? event.kind;
}

export function eventLevel(event) {
	return LEVELS[event.kind] ?? "plain";
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

function eventDetails(event) {
	const parts = [event.view, event.family, event.text || event.reason,
		event.routes ? formatPlural(event.routes, "route") : null];

	return parts.filter(Boolean).join(", ");
}

export function eventLine(event) {
	return el("li", { class: eventLevel(event) },
		el("span", { class: "when" }, timeOfDayElement(event.at)),
		el("span", { class: "what" }, eventTitle(event)),
		el("span", { class: "who mono" },
			event.router ? routerLink(event.router) : null,
			event.peer ? [" ", peerLink(event.router, event.peer,
				peerText(event))] : null),
		el("span", { class: "why" }, eventDetails(event)));
}
