// The looking glass: who has a route for a prefix or an address.

import { apiGet } from "../api.js";
import { el } from "../dom.js";
import { formatPlural, formatTimeOfDay } from "../format.js";
import { errorNotice, noRouterNotice, notice } from "../notices.js";
import { pageHash } from "../url.js";
import { routeColumns, routeKey } from "../routes.js";
import { Table } from "../table.js";

const PAGE = 200;
const MATCHES = [["longest", "Longest match"], ["exact", "Exact"],
	["more-specific", "More-specific"]];

function matchRadio([value, label], chosen) {
	return el("label", {}, el("input", { type: "radio", name: "match", value,
		checked: value === chosen }), label);
}

// Which router or peer the question is limited to, and the way out of it.
function scopeFields(query) {
	const names = ["router", "peer"].filter((name) => query.get(name));

	if (!names.length)
		return [];
	const all = pageHash(["lookup"], { prefix: query.get("prefix"),
		match: query.get("match") });

	return [
		...names.map((name) => el("input", { type: "hidden", name,
			value: query.get(name) })),
		el("p", { class: "note" }, "only ",
			names.map((name) => `${name} ${query.get(name)}`).join(", "),
			" ", el("a", { href: all }, "ask all")),
	];
}

function lookupForm(query, match) {
	const input = el("input", { type: "search", name: "prefix",
		value: query.get("prefix") ?? "", required: true,
		placeholder: "192.0.2.0/24, 2001:db8::1", autocomplete: "off",
		autocapitalize: "off", spellcheck: "false",
		"aria-label": "Prefix or address" });
	const element = el("form", { class: "controls" }, input,
		el("fieldset", {}, el("legend", {}, "Match"),
			MATCHES.map((one) => matchRadio(one, match))),
		el("button", { type: "submit" }, "Look up"), scopeFields(query));
	const submit = () => {
		location.hash = pageHash(["lookup"],
			Object.fromEntries(new FormData(element)));
	};

	element.addEventListener("submit", (event) => {
		event.preventDefault();
		submit();
	});
	// Another kind of match of the same prefix is one press away.
	element.addEventListener("change", (event) => {
		if (event.target.name === "match" && input.value)
			submit();
	});
	return element;
}

class LookupResult {
	#page;
	#params;
	#routes = [];
	#next = null;
	#note = el("p", { class: "note", role: "status" });
	#message = el("div");
	#more = el("button", { type: "button", hidden: true }, "Show more");
	#table;

	constructor(page, params) {
		this.#page = page;
		this.#params = params;
		this.#table = new Table({ label: "routes", columns: routeColumns,
			key: routeKey, sort: { by: "prefix", descending: false } });
		this.#table.element.hidden = true;
		this.#table.element.classList.add("routes");
		this.element = el("div", { class: "paged-list" }, this.#note,
			this.#table.element, this.#message, this.#more);
		this.#more.addEventListener("click", () => this.load());
	}

	async load() {
		this.#more.disabled = true;
		try {
			await this.#fetch();
		} catch (error) {
			if (!this.#page.signal.aborted)
				this.#message.replaceChildren(errorNotice(error));
		}
		this.#more.disabled = false;
	}

	// The collector answers a long question in parts, some of them empty.
	async #fetch() {
		const wanted = this.#routes.length + PAGE;

		do {
			const answer = await apiGet("rib", { ...this.#params,
				limit: PAGE, cursor: this.#next }, this.#page.signal);

			this.#routes.push(...answer.routes);
			this.#next = answer.next;
		} while (this.#next && this.#routes.length < wanted);
		this.#show(this.#routes.length ? null : await this.#status());
	}

	// The event source may not have received a status yet.
	async #status() {
		return this.#page.source.status
			?? await apiGet("status", {}, this.#page.signal);
	}

	#show(status) {
		const peers = new Set(this.#routes.map(
			(r) => `${r.router} ${r.peer}`));

		this.#table.element.hidden = this.#routes.length === 0;
		this.#table.show(this.#routes);
		this.#more.hidden = !this.#next;
		this.#note.textContent = `${this.#next ? "the first " : ""}${
			formatPlural(this.#routes.length, "route")} of ${
			formatPlural(peers.size, "peer")} at ${
			formatTimeOfDay(new Date())}`;
		this.#message.replaceChildren(...(this.#routes.length ? []
			: [this.#emptyNotice(status)]));
	}

	#emptyNotice(status) {
		const { prefix, match } = this.#params;

		if (!status.totals.routes && !status.totals.routers)
			return noRouterNotice(status);
		return notice({
			title: `No peer has a route for ${prefix}`,
			text: match === "exact"
				? "A shorter or a longer prefix may cover it."
				: "Nothing that covers it has been announced, or it "
					+ "was withdrawn.",
			links: MATCHES.filter(([value]) => value !== match)
				.map(([value, label]) => [label,
					pageHash(["lookup"], { prefix, match: value })]),
		});
	}
}

export function lookupView(page) {
	const { query } = page.address;
	const prefix = query.get("prefix");
	const match = query.get("match") ?? "longest";
	const form = lookupForm(query, match);

	page.main.append(el("h1", {}, "Looking glass"), form);
	if (!prefix) {
		form.elements.prefix.focus();
		page.main.append(notice({ title: "Who has a route?", text:
			"Type a prefix or an address. The tables of all peers are "
			+ "searched: for the longest prefix that covers it, for "
			+ "exactly this prefix, or for all inside it." }));
		return;
	}
	const result = new LookupResult(page, { prefix, match,
		router: query.get("router"), peer: query.get("peer") });

	page.main.append(result.element);
	return result.load();
}
