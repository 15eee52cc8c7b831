// A list of the API as a table: filtered by the server, paged, asked for again
// every few seconds, its filter and order kept in the address.

import { apiGet } from "./api.js";
import { el } from "./dom.js";
import { formatPlural } from "./format.js";
import { errorNotice, notice } from "./notices.js";
import { replaceQuery } from "./url.js";
import { Table } from "./table.js";

const PAGE = 500;
const REFRESH_MS = 5000;
const TYPING_MS = 200;

export class PagedList {
	#page;
	#options;
	#pages = 1;
	#table;
	#note = el("p", { class: "note", role: "status" });
	#more = el("button", { type: "button", hidden: true }, "Show more");
	#message = el("div");
	#timer = null;
	#requests = 0;

	// options: { path, field, params, noun, columns, key, sort, emptyNotice }
	constructor(page, options) {
		const query = page.address.query;

		this.#page = page;
		this.#options = options;
		this.filter = query.get("filter") ?? "";
		this.#table = new Table({
			label: options.noun, columns: options.columns,
			key: options.key,
			sort: query.has("sort") ? {
				by: query.get("sort"),
				descending: query.get("order") === "descending",
			} : options.sort,
			onSort: ({ by, descending }) => replaceQuery({ sort: by,
				order: descending ? "descending" : "ascending" }),
		});
		this.element = el("div", { class: "paged-list" }, this.#controls(),
			this.#table.element, this.#message, this.#more);
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
				this.#options.noun}` });
		let typing = null;

		input.addEventListener("input", () => {
			clearTimeout(typing);
			typing = setTimeout(() => this.#filterBy(input.value.trim()),
				TYPING_MS);
		});
		return el("div", { class: "controls" }, input,
			this.#options.controls ?? null, this.#note);
	}

	#filterBy(text) {
		this.filter = text;
		this.#pages = 1;
		replaceQuery({ filter: text });
		this.load();
	}

	async load() {
		const request = ++this.#requests;

		clearTimeout(this.#timer);
		try {
			const { rows, next } = await this.#fetch();

			// An answer to what was typed before comes too late.
			if (request !== this.#requests || this.#page.signal.aborted)
				return;
			this.#show(rows, next);
		} catch (error) {
			if (request !== this.#requests || this.#page.signal.aborted)
				return;
			this.#message.replaceChildren(errorNotice(error));
		}
		this.#timer = setTimeout(() => this.load(), REFRESH_MS);
	}

	async #fetch() {
		const { path, field, params } = this.#options;
		const rows = [];
		let next = null;

		for (let i = 0; i < this.#pages && (i === 0 || next); i++) {
			const answer = await apiGet(path, { ...params,
				filter: this.filter, limit: PAGE, cursor: next },
			this.#page.signal);

			rows.push(...answer[field]);
			next = answer.next;
		}
		return { rows, next };
	}

	#show(rows, next) {
		const { noun, emptyNotice } = this.#options;

		this.#table.show(rows);
		this.#table.element.hidden = rows.length === 0;
		this.#more.hidden = !next;
		this.#note.textContent = next
			? `the first ${formatPlural(rows.length, noun)}; sorting is among `
				+ "these" : formatPlural(rows.length, noun);
		if (rows.length)
			this.#message.replaceChildren();
		else if (this.filter)
			this.#message.replaceChildren(notice({
				title: `No ${noun} matches “${this.filter}”`,
				text: this.#options.filterHint }));
		else
			this.#message.replaceChildren(emptyNotice());
	}
}
