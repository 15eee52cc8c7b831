// All peers of all routers.

import { peerColumns } from "../columns.js";
import { el } from "../dom.js";
import { PagedList } from "../paged-list.js";
import { noRouterNotice, notice } from "../notices.js";
import { pageHash } from "../url.js";

const STATES = ["", "up", "stale", "down", "implied"];

function stateSelect(chosen) {
	const select = el("select", { "aria-label": "State" },
		STATES.map((state) => el("option", { value: state,
			selected: state === chosen }, state || "any state")));

	select.addEventListener("change", () => {
		location.hash = pageHash(["peers"], { state: select.value });
	});
	return select;
}

function emptyNotice(page, state) {
	if (!page.source.status?.totals?.peers)
		return noRouterNotice(page.source.status);
	return notice({ title: `No peer is ${state}`,
		links: [["Show all peers", pageHash(["peers"])]] });
}

export function peersView(page) {
	const state = page.address.query.get("state") ?? "";
	const list = new PagedList(page, {
		path: "peers", field: "peers", noun: "peer", params: { state },
		columns: peerColumns, key: (p) => `${p.router}/${p.id}`,
		sort: { by: "router", descending: false },
		filterHint: "Addresses, AS numbers and routers are searched.",
		controls: stateSelect(state),
		emptyNotice: () => emptyNotice(page, state),
	});

	page.main.append(el("h1", {}, "Peers"), list.element);
	return list.load();
}
