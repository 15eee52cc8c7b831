// One peer of a router: its session, its tables, its history.

import { age, fullTime } from "../time.js";
import { get } from "../api.js";
import { differenceMark, state } from "../badges.js";
import { routerLink, tableColumns } from "../columns.js";
import { el } from "../dom.js";
import { facts } from "../definition-list.js";
import { count } from "../format.js";
import { notice } from "../notices.js";
import { link } from "../url.js";
import { refreshed } from "../poll.js";
import { Table } from "../table.js";
import { timeline } from "../timeline.js";

function head(p) {
	return facts([
		["State", state(p.state)],
		["Up for", p.state === "up" ? age(p.upAt) : null],
		["Down since", p.state === "down" ? fullTime(p.downAt) : null],
		["Why", p.state === "up" ? null : p.downReason || null],
		["AS", String(p.peerAsn ?? "–")],
		["BGP identifier", p.peerBgpId || null],
		["Router", routerLink(p.router)],
		["Type", p.peerType ?? null],
		["Distinguisher", p.peerDistinguisher || null],
		["Routes", count(p.routes)],
		["Difference to the router's count",
			differenceMark(p.difference)],
		["Last change", age(p.lastChangeAt)],
		["Flaps", count(p.flaps)],
		["Looking glass", el("a", { href: link(["lookup"],
			{ router: p.router, peer: p.id }) }, "ask this peer")],
	]);
}

export function peerView(page) {
	const [, router, peer] = page.place.segments;
	const title = el("h1", {}, peer);
	const about = el("section", { class: "panel" });
	const past = el("section", { class: "panel" });
	const below = el("div");
	const table = new Table({ label: "tables", columns: tableColumns,
		key: (t) => `${t.view} ${t.family}`,
		sort: { by: "view", descending: false } });
	const path = ["peers", router, peer].map(encodeURIComponent).join("/");

	page.main.append(title, about, el("h2", {}, "Tables"), table.element,
		below, el("h2", {}, "History"), past);
	return refreshed(page, about, async () => {
		const found = await get(path, {}, page.signal);

		title.textContent = `${found.peerAddr} AS${found.peerAsn}`;
		about.replaceChildren(head(found));
		table.show(found.tables ?? []);
		below.replaceChildren(...(found.tables?.length ? []
			: [notice({ title: "No table yet", text: "The router has "
				+ "sent no route of this peer." })]));
		past.replaceChildren(timeline(found.history));
	});
}
