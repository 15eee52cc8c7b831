// A table that sorts by its headings and keeps its rows by key, so that a
// refresh rewrites what changed and leaves focus and selection alone.
//
// A column: { id, title, value(row), show(row), numeric, wide }. value() is what
// sorting compares, show() a node or a text; without it the value is shown.

import { el } from "./dom.js";

const collator = new Intl.Collator("en", { numeric: true });

// What is absent comes last, whichever way one sorts.
function compareValues(a, b, sign) {
	const none = [a, b].map((v) => v === null || v === undefined);

	if (none[0] || none[1])
		return none[0] - none[1];
	if (typeof a === "number" && typeof b === "number")
		return sign * (a - b);
	return sign * collator.compare(a, b);
}

export class Table {
	#columns;
	#key;
	#rows = [];
	#rowElements = new Map();	// key -> tr
	#headings = new Map();	// column id -> th
	#body = el("tbody", { role: "rowgroup" });
	#sort;
	#onSort;

	// sort: { by, descending }; onSort is told of a change
	constructor({ label, columns, key, sort, onSort }) {
		this.#columns = columns;
		this.#key = key;
		this.#sort = columns.some((c) => c.id === sort.by) ? sort
			: { by: columns[0].id, descending: false };
		this.#onSort = onSort ?? (() => {});
		// What does not fit is scrolled here and not with the page.
		this.element = el("div", { class: "scroll" },
			el("table", { role: "table", "aria-label": label },
				el("thead", { role: "rowgroup" },
					el("tr", { role: "row" }, columns.map(
						(c) => this.#heading(c)))),
				this.#body));
		this.#markSorted();
	}

	show(rows) {
		this.#rows = rows;
		this.#render();
	}

	#heading(column) {
		const th = el("th", { scope: "col", role: "columnheader",
			class: column.numeric ? "numeric" : null },
		el("button", { type: "button",
			onclick: () => this.#sortBy(column) }, column.title));

		this.#headings.set(column.id, th);
		return th;
	}

	// The first press on figures shows the largest, on words the first.
	#sortBy(column) {
		const again = this.#sort.by === column.id;

		this.#sort = { by: column.id, descending: again
			? !this.#sort.descending : Boolean(column.numeric) };
		this.#markSorted();
		this.#render();
		this.#onSort(this.#sort);
	}

	#markSorted() {
		for (const [id, th] of this.#headings) {
			const direction = this.#sort.descending
				? "descending" : "ascending";

			th.setAttribute("aria-sort",
				id === this.#sort.by ? direction : "none");
		}
	}

	#sorted() {
		const column = this.#columns.find((c) => c.id === this.#sort.by);
		const sign = this.#sort.descending ? -1 : 1;
		const keyed = this.#rows.map((row) => [column.value(row), row]);

		keyed.sort((a, b) => compareValues(a[0], b[0], sign));
		return keyed.map(([, row]) => row);
	}

	#render() {
		const focused = document.activeElement;
		const seen = new Set();

		this.#sorted().forEach((row, i) => {
			const key = this.#key(row);
			const line = this.#rowElement(key, row);

			seen.add(key);
			if (this.#body.children[i] !== line)
				this.#body.insertBefore(line,
					this.#body.children[i] ?? null);
		});
		for (const [key, line] of this.#rowElements) {
			if (!seen.has(key)) {
				line.remove();
				this.#rowElements.delete(key);
			}
		}
		// A row that moves loses the focus on the way.
		if (focused !== document.activeElement && focused.isConnected)
			focused.focus({ preventScroll: true });
	}

	#rowElement(key, row) {
		let line = this.#rowElements.get(key);

		if (!line) {
			line = el("tr", { role: "row" });
			this.#rowElements.set(key, line);
		}
		this.#columns.forEach((column, i) => {
			const cell = this.#cell(column, row);

			if (!line.children[i])
				line.append(cell);
			else if (!line.children[i].isEqualNode(cell))
				line.children[i].replaceWith(cell);
		});
		return line;
	}

	#cell(column, row) {
		const content = column.show ? column.show(row)
			: column.value(row) ?? "–";

		return el("td", { role: "cell", "data-title": column.title,
			class: [column.numeric && "numeric", column.class]
				.filter(Boolean).join(" ") || null }, content);
	}
}
