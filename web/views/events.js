// Events as they happen, newest first.

import { el } from "../dom.js";
import { formatPlural } from "../format.js";
import { eventLine, eventWords } from "../events.js";
import { notice } from "../notices.js";
import { replaceQuery } from "../url.js";

const SHOWN = 200;

class EventList {
	#source;
	#paused = false;
	#list = el("ol", { class: "events" });
	#message = el("div");
	#note = el("p", { class: "note", role: "status" });

	constructor(page) {
		this.#source = page.source;
		this.filter = page.address.query.get("filter") ?? "";
		this.element = el("div", {}, this.#controls(), this.#list,
			this.#message);
		page.source.addEventListener("event", () => this.#show(),
			{ signal: page.signal });
		this.#show();
	}

	#controls() {
		const input = el("input", { type: "search", value: this.filter,
			placeholder: "Filter", "aria-label": "Filter events",
			autocomplete: "off", spellcheck: "false" });
		const pause = el("button", { type: "button",
			"aria-pressed": "false" }, "Pause");

		input.addEventListener("input", () => {
			this.filter = input.value.trim();
			replaceQuery({ filter: this.filter });
			this.#show();
		});
		pause.addEventListener("click", () => {
			this.#paused = !this.#paused;
			pause.setAttribute("aria-pressed", String(this.#paused));
			pause.textContent = this.#paused ? "Go on" : "Pause";
			this.#show();
		});
		return el("div", { class: "controls" }, input, pause, this.#note);
	}

	#show() {
		if (this.#paused)
			return;
		const wanted = this.filter.toLowerCase();
		const found = this.#source.events.filter((event) =>
			eventWords(event).includes(wanted));

		this.#list.replaceChildren(
			...found.slice(0, SHOWN).map(eventLine));
		this.#note.textContent = formatPlural(found.length, "event");
		this.#message.replaceChildren(...(found.length ? []
			: [this.#emptyNotice()]));
	}

	#emptyNotice() {
		if (this.filter)
			return notice({ title: `No event matches “${this.filter}”`,
				text: "The last 500 events are searched." });
		return notice({ title: "Nothing has happened yet",
			text: "Sessions, peers, End-of-RIB, sweeps and limits "
				+ "appear here as they happen." });
	}
}

export function eventsView(page) {
	page.main.append(el("h1", {}, "Events"), new EventList(page).element);
}
