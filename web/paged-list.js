// A list of the API as a table: filtered by the server, paged, asked for again
// every few seconds, its filter and order kept in the address.

import { get } from "./api.js";
import { el } from "./dom.js";
import { plural } from "./format.js";
import { failure, notice } from "./notices.js";
import { amend } from "./url.js";
import { Table } from "./table.js";

const PAGE = 500;
const REFRESH_MS = 5000;
const TYPING_MS = 200;

export class Listing {
	#page;
	#what;
	#pages = 1;
	#table;
	#note = el("p", { class: "note", role: "status" });
	#more = el("button", { type: "button", hidden: true }, "Show more");
	#below = el("div");
	#timer = null;
	#asked = 0;

	// what: { path, field, params, noun, columns, key, sort, none }
	constructor(page, what) {
		const query = page.place.query;

		this.#page = page;
		this.#what = what;
		this.filter = query.get("filter") ?? "";
		this.#table = new Table({
			label: what.noun, columns: what.columns, key: what.key,
			sort: query.has("sort") ? {
				by: query.get("sort"),
				descending: query.get("order") === "descending",
			} : what.sort,
			onSort: ({ by, descending }) => amend({ sort: by,
				order: descending ? "descending" : "ascending" }),
		});
		this.element = el("div", { class: "listing" }, this.#controls(),
			this.#table.element, this.#below, this.#more);
		this.#more.addEventListener("click", () => {
			this.#pages++;
			this.load();
		});
		page.signal.addEventListener("abort",
			() => clearTimeout(this.#timer));
	}

	#controls() {
		const input = el("input", { type: "search", value: this.filter,
			placeholder: "Filter", autocomplete: "off",
			spellcheck: "false", "aria-label": `Filter ${
				this.#what.noun}` });
		let typing = null;

		input.addEventListener("input", () => {
			clearTimeout(typing);
			typing = setTimeout(() => this.#filterBy(input.value.trim()),
				TYPING_MS);
		});
		return el("div", { class: "controls" }, input,
			this.#what.controls ?? null, this.#note);
	}

	#filterBy(text) {
		this.filter = text;
		this.#pages = 1;
		amend({ filter: text });
		this.load();
	}

	async load() {
		const turn = ++this.#asked;

		clearTimeout(this.#timer);
		try {
			const { rows, next } = await this.#fetch();

			// An answer to what was typed before comes too late.
			if (turn !== this.#asked || this.#page.signal.aborted)
				return;
			this.#show(rows, next);
		} catch (error) {
			if (turn !== this.#asked || this.#page.signal.aborted)
				return;
			this.#below.replaceChildren(failure(error));
		}
		this.#timer = setTimeout(() => this.load(), REFRESH_MS);
	}

	async #fetch() {
		const { path, field, params } = this.#what;
		const rows = [];
		let next = null;

		for (let i = 0; i < this.#pages && (i === 0 || next); i++) {
			const answer = await get(path, { ...params,
				filter: this.filter, limit: PAGE, cursor: next },
			this.#page.signal);

			rows.push(...answer[field]);
			next = answer.next;
		}
		return { rows, next };
	}

	#show(rows, next) {
		const { noun, none } = this.#what;

		this.#table.show(rows);
		this.#table.element.hidden = rows.length === 0;
		this.#more.hidden = !next;
		this.#note.textContent = next
			? `the first ${plural(rows.length, noun)}; sorting is among `
				+ "these" : plural(rows.length, noun);
		if (rows.length)
			this.#below.replaceChildren();
		else if (this.filter)
			this.#below.replaceChildren(notice({
				title: `No ${noun} matches “${this.filter}”`,
				text: this.#what.filterHint }));
		else
			this.#below.replaceChildren(none());
	}
}
