// One peer of a router: its session, its tables, its history.

import { ageElement, dateTimeElement } from "../time.js";
import { apiGet } from "../api.js";
import { differenceBadge, stateBadge } from "../badges.js";
import { routerLink, tableColumns } from "../columns.js";
import { el } from "../dom.js";
import { definitionList } from "../definition-list.js";
import { formatCount } from "../format.js";
import { notice } from "../notices.js";
import { pageHash } from "../url.js";
import { poll } from "../poll.js";
import { Table } from "../table.js";
import { timeline } from "../timeline.js";

function peerDetails(p) {
	return definitionList([
		["State", stateBadge(p.state)],
		["Up for", p.state === "up" ? ageElement(p.upAt) : null],
		["Down since", p.state === "down" ? dateTimeElement(p.downAt) : null],
		["Why", p.state === "up" ? null : p.downReason || null],
		["AS", String(p.peerAsn ?? "–")],
		["BGP identifier", p.peerBgpId || null],
		["Router", routerLink(p.router)],
		["Type", p.peerType ?? null],
		["Distinguisher", p.peerDistinguisher || null],
		["Routes", formatCount(p.routes)],
		["Difference to the router's count",
			differenceBadge(p.difference)],
		["Last change", ageElement(p.lastChangeAt)],
		["Flaps", formatCount(p.flaps)],
		["Looking glass", el("a", { href: pageHash(["lookup"],
			{ router: p.router, peer: p.id }) }, "ask this peer")],
	]);
}

export function peerView(page) {
	const [, router, peer] = page.address.segments;
	const title = el("h1", {}, peer);
	const details = el("section", { class: "panel" });
	const history = el("section", { class: "panel" });
	const below = el("div");
	const table = new Table({ label: "tables", columns: tableColumns,
		key: (t) => `${t.view} ${t.family}`,
		sort: { by: "view", descending: false } });
	const path = ["peers", router, peer].map(encodeURIComponent).join("/");

	page.main.append(title, details, el("h2", {}, "Tables"), table.element,
		below, el("h2", {}, "History"), history);
	return poll(page, details, async () => {
		const found = await apiGet(path, {}, page.signal);

		title.textContent = `${found.peerAddr} AS${found.peerAsn}`;
		details.replaceChildren(peerDetails(found));
		table.show(found.tables ?? []);
		below.replaceChildren(...(found.tables?.length ? []
			: [notice({ title: "No table yet", text: "The router has "
				+ "sent no route of this peer." })]));
		history.replaceChildren(timeline(found.history));
	});
}
