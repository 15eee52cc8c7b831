// One router: what it is, its peers, what happened to its sessions.

import { age, fullTime } from "../time.js";
import { get } from "../api.js";
import { differenceMark, state } from "../badges.js";
import { peerColumns, routerName } from "../columns.js";
import { el } from "../dom.js";
import { facts } from "../definition-list.js";
import { bytes, count } from "../format.js";
import { Listing } from "../paged-list.js";
import { notice } from "../notices.js";
import { refreshed } from "../poll.js";
import { timeline } from "../timeline.js";
import { tokenText } from "../router-token.js";

function head(r) {
	const c = r.counters ?? {};

	return facts([
		["State", state(r.state)],
		["Session", r.state === "up" ? age(r.connectedAt) : null],
		["Lost", r.state === "up" ? null : fullTime(r.disconnectedAt)],
		["Why", r.closeReason || null],
		["Address", `${r.routerAddr} port ${r.routerPort}`],
		["Token", el("span", { class: "mono" }, r.id)],
		["Worker", String(r.worker)],
		["Last message", age(r.lastMessageAt)],
		["Messages", count(r.messages)],
		["Received", bytes(r.bytes)],
		["Parse errors", count(r.parseErrors)],
		["Snapshot", age(r.snapshotAt)],
		["Routes", count(r.routes)],
		["Difference to its own count", differenceMark(r.difference)],
		["Routes received", count(c.received)],
		["Suppressed", count(c.suppressed)],
		["Published", count(c.published)],
		["Synthetic", count(c.synthetic)],
	]);
}

function peersOf(page, token) {
	return new Listing(page, {
		path: "peers", field: "peers", noun: "peer",
		params: { router: token },
		columns: peerColumns.filter((c) => c.id !== "router"),
		key: (p) => p.id, sort: { by: "peer", descending: false },
		filterHint: "Addresses and AS numbers are searched.",
		none: () => notice({ title: "This router has reported no peer yet",
			text: "A router sends a Peer Up for each session it "
				+ "monitors. Look whether monitoring is enabled for "
				+ "its neighbours." }),
	});
}

export function routerView(page) {
	const [, token] = page.place.segments;
	const title = el("h1", {}, tokenText(token));
	const about = el("section", { class: "panel" });
	const past = el("section", { class: "panel" });
	const peers = peersOf(page, token);

	page.main.append(title, about, el("h2", {}, "Peers"), peers.element,
		el("h2", {}, "History"), past);
	refreshed(page, about, async () => {
		const router = await get(`routers/${encodeURIComponent(token)}`,
			{}, page.signal);

		title.textContent = routerName(router);
		about.replaceChildren(head(router));
		past.replaceChildren(timeline(router.history));
	});
	return peers.load();
}
