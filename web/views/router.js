// One router: what it is, its peers, what happened to its sessions.

import { ageElement, dateTimeElement } from "../time.js";
import { apiGet } from "../api.js";
import { differenceBadge, stateBadge } from "../badges.js";
import { peerColumns, routerName } from "../columns.js";
import { el } from "../dom.js";
import { definitionList } from "../definition-list.js";
import { formatBytes, formatCount } from "../format.js";
import { PagedList } from "../paged-list.js";
import { notice } from "../notices.js";
import { poll } from "../poll.js";
import { timeline } from "../timeline.js";
import { tokenText } from "../router-token.js";

function routerDetails(r) {
	const c = r.counters ?? {};

	return definitionList([
		["State", stateBadge(r.state)],
		["Session", r.state === "up" ? ageElement(r.connectedAt) : null],
		["Lost", r.state === "up" ? null : dateTimeElement(r.disconnectedAt)],
		["Why", r.closeReason || null],
		["Address", `${r.routerAddr} port ${r.routerPort}`],
		["Token", el("span", { class: "mono" }, r.id)],
		["Worker", String(r.worker)],
		["Last message", ageElement(r.lastMessageAt)],
		["Messages", formatCount(r.messages)],
		["Received", formatBytes(r.bytes)],
		["Parse errors", formatCount(r.parseErrors)],
		["Snapshot", ageElement(r.snapshotAt)],
		["Routes", formatCount(r.routes)],
		["Difference to its own count", differenceBadge(r.difference)],
		["Routes received", formatCount(c.received)],
		["Suppressed", formatCount(c.suppressed)],
		["Published", formatCount(c.published)],
		["Synthetic", formatCount(c.synthetic)],
	]);
}

function peerList(page, token) {
	return new PagedList(page, {
		path: "peers", field: "peers", noun: "peer",
		params: { router: token },
		columns: peerColumns.filter((c) => c.id !== "router"),
		key: (p) => p.id, sort: { by: "peer", descending: false },
		filterHint: "Addresses and AS numbers are searched.",
		emptyNotice: () => notice({ title: "This router has reported no peer yet",
			text: "A router sends a Peer Up for each session it "
				+ "monitors. Look whether monitoring is enabled for "
				+ "its neighbours." }),
	});
}

export function routerView(page) {
	const [, token] = page.address.segments;
	const title = el("h1", {}, tokenText(token));
	const details = el("section", { class: "panel" });
	const history = el("section", { class: "panel" });
	const peers = peerList(page, token);

	page.main.append(title, details, el("h2", {}, "Peers"), peers.element,
		el("h2", {}, "History"), history);
	poll(page, details, async () => {
		const router = await apiGet(`routers/${encodeURIComponent(token)}`,
			{}, page.signal);

		title.textContent = routerName(router);
		details.replaceChildren(routerDetails(router));
		history.replaceChildren(timeline(router.history));
	});
	return peers.load();
}
