// All routers.

import { routerColumns } from "../columns.js";
import { el } from "../dom.js";
import { Listing } from "../paged-list.js";
import { noRouterYet } from "../notices.js";

export function routersView(page) {
	const listing = new Listing(page, {
		path: "routers", field: "routers", noun: "router",
		columns: routerColumns, key: (r) => r.id,
		sort: { by: "router", descending: false },
		filterHint: "Addresses, names and tokens are searched.",
		none: () => noRouterYet(page.feed.status),
	});

	page.main.append(el("h1", {}, "Routers"), listing.element);
	return listing.load();
}
