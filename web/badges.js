// Badges: a state, a difference, a share. The text is always there; colour and
// shape only help to find it.

import { el } from "./dom.js";
import { formatDifference, formatPercent } from "./format.js";

const STATES = ["up", "implied", "stale", "down"];

export function stateBadge(name) {
	const known = STATES.includes(name) ? name : "down";

	return el("span", { class: `state ${known}` }, name ?? "unknown");
}

// Worst first, so that sorting by state shows what needs a look.
export function stateRank(name) {
	return ["down", "stale", "implied", "up"].indexOf(name);
}

export function differenceBadge(n) {
	return el("span", { class: n ? "differs" : "agrees" }, formatDifference(n));
}

export function shareMeter(value, label) {
	const meter = el("meter", { min: 0, max: 1, low: 0.5, high: 0.8,
		optimum: 0, value: value ?? 0, "aria-label": label });

	return el("span", { class: "share" }, meter, formatPercent(value));
}
