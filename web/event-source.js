// The live connection: the collector's status once a second and its events as
// they happen. Dispatches "status", "event" and "state".

import { apiUrl, apiGet } from "./api.js";

// Status comes once a second. After so many without one, a connection that
// looks open is dead: a suspended laptop, a host that lost its power.
const SILENCE_MS = 5000;
const RETRY_MS = 1000;
const EVENTS_KEPT = 500;

export class CollectorEventSource extends EventTarget {
	#source = null;
	#lastMessageAt = Date.now();
	#retry = null;

	status = null;
	events = [];	// newest first
	state = "connecting";
	since = new Date();
	reason = "";

	start() {
		this.#open();
		setInterval(() => this.#checkSilence(), 1000);
	}

	#open() {
		this.#source?.close();
		this.#retry = null;
		this.#lastMessageAt = Date.now();
		this.#source = new EventSource(apiUrl("events"));
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
		this.#lastMessageAt = Date.now();
		this.status = status;
		this.#setState("live");
		this.dispatchEvent(new Event("status"));
	}

	// After a cut the collector may repeat what is here already.
	#hasEvent({ id, at }) {
		return this.events.some((e) => e.id === id && e.at === at);
	}

	#onOverrun({ events }) {
		this.#onEvent({ kind: "overrun", at: new Date().toISOString(),
			text: `${events} came too fast to be shown` });
	}

	#onEvent(event) {
		this.#lastMessageAt = Date.now();
		if (this.#hasEvent(event))
			return;
		this.events.unshift(event);
		this.events.length = Math.min(this.events.length, EVENTS_KEPT);
		this.dispatchEvent(new CustomEvent("event", { detail: event }));
	}

	// The browser connects again by itself after a cut, and says from where
	// on; but not after an answer that is no stream. That takes us.
	#onError() {
		this.#setLost();
		if (this.#source.readyState === EventSource.CLOSED)
			this.#retry ??= setTimeout(() => this.#open(), RETRY_MS);
	}

	#checkSilence() {
		if (this.#retry || Date.now() - this.#lastMessageAt < SILENCE_MS)
			return;
		this.#setLost();
		this.#open();
	}

	#setLost() {
		if (this.state === "lost")
			return;
		this.#setState("lost");
		this.#findReason();
	}

	// An EventSource does not say why it failed.
	async #findReason() {
		try {
			await apiGet("status");
			this.reason = "";
		} catch (error) {
			this.reason = [error.message, error.hint]
				.filter(Boolean).join(". ");
		}
		this.dispatchEvent(new Event("state"));
	}

	#setState(state) {
		if (this.state === state)
			return;
		this.state = state;
		this.since = new Date();
		this.reason = "";
		this.dispatchEvent(new Event("state"));
	}
}
