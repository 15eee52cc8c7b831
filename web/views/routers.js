// All routers.

import { routerColumns } from "../columns.js";
import { el } from "../dom.js";
import { PagedList } from "../paged-list.js";
import { noRouterNotice } from "../notices.js";

export function routersView(page) {
	const list = new PagedList(page, {
		path: "routers", field: "routers", noun: "router",
		columns: routerColumns, key: (r) => r.id,
		sort: { by: "router", descending: false },
		filterHint: "Addresses, names and tokens are searched.",
		emptyNotice: () => noRouterNotice(page.source.status),
	});

	page.main.append(el("h1", {}, "Routers"), list.element);
	return list.load();
}
