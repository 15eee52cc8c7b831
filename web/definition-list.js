// Pairs of a name and a value: the head of a page, the panels of the overview.

import { el } from "./dom.js";

export function definitionList(pairs) {
	return el("dl", { class: "definitions" }, pairs
		.filter(([, value]) => value !== null && value !== undefined)
		.map(([name, value]) => el("div", {},
			el("dt", {}, name), el("dd", {}, value))));
}

// A panel whose pairs are rewritten while it is looked at.
export class DefinitionPanel {
	#list = el("div");

	constructor(title) {
		this.element = el("section", { class: "panel" },
			el("h2", {}, title), this.#list);
	}

	show(pairs) {
		const list = definitionList(pairs);

		if (!this.#list.isEqualNode(list)) {
			this.#list.replaceWith(list);
			this.#list = list;
		}
	}
}
