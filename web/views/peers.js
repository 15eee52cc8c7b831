// All peers of all routers.

import { peerColumns } from "../columns.js";
import { el } from "../dom.js";
import { Listing } from "../paged-list.js";
import { noRouterYet, notice } from "../notices.js";
import { link } from "../url.js";

const STATES = ["", "up", "stale", "down", "implied"];

function stateChoice(chosen) {
	const select = el("select", { "aria-label": "State" },
		STATES.map((state) => el("option", { value: state,
			selected: state === chosen }, state || "any state")));

	select.addEventListener("change", () => {
		location.hash = link(["peers"], { state: select.value });
	});
	return select;
}

function none(page, state) {
	if (!page.feed.status?.totals?.peers)
		return noRouterYet(page.feed.status);
	return notice({ title: `No peer is ${state}`,
		links: [["Show all peers", link(["peers"])]] });
}

export function peersView(page) {
	const state = page.place.query.get("state") ?? "";
	const listing = new Listing(page, {
		path: "peers", field: "peers", noun: "peer", params: { state },
		columns: peerColumns, key: (p) => `${p.router}/${p.id}`,
		sort: { by: "router", descending: false },
		filterHint: "Addresses, AS numbers and routers are searched.",
		controls: stateChoice(state),
		none: () => none(page, state),
	});

	page.main.append(el("h1", {}, "Peers"), listing.element);
	return listing.load();
}
