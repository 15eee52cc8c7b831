// The live connection: the collector's status once a second and its events as
// they happen. Dispatches "status", "event" and "state".

import { address, get } from "./api.js";

// Status comes once a second. After so many without one, a connection that
// looks open is dead: a suspended laptop, a host that lost its power.
const SILENCE_MS = 5000;
const RETRY_MS = 1000;
const EVENTS_KEPT = 500;

export class Feed extends EventTarget {
	#source = null;
	#heardAt = Date.now();
	#retry = null;

	status = null;
	events = [];	// newest first
	state = "connecting";
	since = new Date();
	why = "";

	start() {
		this.#open();
		setInterval(() => this.#watch(), 1000);
	}

	#open() {
		this.#source?.close();
		this.#retry = null;
		this.#heardAt = Date.now();
		this.#source = new EventSource(address("events"));
		this.#source.addEventListener("status", (message) =>
			this.#onStatus(JSON.parse(message.data)));
		this.#source.addEventListener("event", (message) =>
			this.#onEvent(JSON.parse(message.data)));
		this.#source.addEventListener("lost", (message) =>
			this.#onOverrun(JSON.parse(message.data)));
		this.#source.addEventListener("error", () => this.#onError());
	}

	#onStatus(status) {
		// An upgraded collector brings another page; a wall has nobody
		// to press reload.
		if (this.status && this.status.version !== status.version)
			location.reload();
		this.#heardAt = Date.now();
		this.status = status;
		this.#become("live");
		this.dispatchEvent(new Event("status"));
	}

	// After a cut the collector may repeat what is here already.
	#knows({ id, at }) {
		return this.events.some((e) => e.id === id && e.at === at);
	}

	#onOverrun({ events }) {
		this.#onEvent({ kind: "leftOut", at: new Date().toISOString(),
			text: `${events} came too fast to be shown` });
	}

	#onEvent(event) {
		this.#heardAt = Date.now();
		if (this.#knows(event))
			return;
		this.events.unshift(event);
		this.events.length = Math.min(this.events.length, EVENTS_KEPT);
		this.dispatchEvent(new CustomEvent("event", { detail: event }));
	}

	// The browser connects again by itself after a cut, and says from where
	// on; but not after an answer that is no stream. That takes us.
	#onError() {
		this.#lose();
		if (this.#source.readyState === EventSource.CLOSED)
			this.#retry ??= setTimeout(() => this.#open(), RETRY_MS);
	}

	#watch() {
		if (this.#retry || Date.now() - this.#heardAt < SILENCE_MS)
			return;
		this.#lose();
		this.#open();
	}

	#lose() {
		if (this.state === "lost")
			return;
		this.#become("lost");
		this.#findReason();
	}

	// An EventSource does not say why it failed.
	async #findReason() {
		try {
			await get("status");
			this.why = "";
		} catch (error) {
			this.why = [error.message, error.hint]
				.filter(Boolean).join(". ");
		}
		this.dispatchEvent(new Event("state"));
	}

	#become(state) {
		if (this.state === state)
			return;
		this.state = state;
		this.since = new Date();
		this.why = "";
		this.dispatchEvent(new Event("state"));
	}
}
