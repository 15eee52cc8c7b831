// What stays while the views change: search, keys, the state of the connection.

import { ageElement } from "./time.js";
import { el, setText } from "./dom.js";
import { formatTimeOfDay } from "./format.js";
import { asSentence } from "./notices.js";
import { pageHash } from "./url.js";

const STATE_LABELS = { connecting: "connecting", live: "live", lost: "lost" };

function isTextField(target) {
	return target.closest("input, textarea, select") !== null;
}

export function connectSearch(form) {
	const input = form.elements.prefix;

	form.addEventListener("submit", (event) => {
		event.preventDefault();
		const prefix = input.value.trim();

		if (!prefix)
			return;
		location.hash = pageHash(["lookup"], { prefix, match: "longest" });
		input.value = "";
		input.blur();
	});
	document.addEventListener("keydown", (event) => {
		const plain = !event.ctrlKey && !event.metaKey && !event.altKey;

		if (event.key === "/" && plain && !isTextField(event.target)) {
			event.preventDefault();
			input.focus();
		} else if (event.key === "Escape" && event.target === input) {
			input.blur();
		}
	});
}

// A plain link would change the hash, which is where the view is kept.
export function connectSkipLink(skip, main) {
	skip.addEventListener("click", (event) => {
		event.preventDefault();
		main.focus();
	});
}

function bannerText(source) {
	return [
		el("strong", {}, "Connection to the collector lost"),
		` at ${formatTimeOfDay(source.since)}, `,
		// It changes every second: not to be read out.
		el("span", { "aria-hidden": "true" },
			ageElement(source.since.toISOString())),
		` ago. ${source.reason ? `${asSentence(source.reason)} ` : ""}`,
		"What is shown is from then. The page tries again by itself; is ",
		el("code", {}, "arancini run"), " running?",
	];
}

export function connectStateLabel(source, { label, banner, collector }) {
	const show = () => {
		const lost = source.state === "lost";

		label.dataset.state = source.state;
		setText(label, STATE_LABELS[source.state]);
		document.body.classList.toggle("lost", lost);
		banner.hidden = !lost;
		if (lost)
			banner.replaceChildren(...bannerText(source));
	};

	source.addEventListener("state", show);
	source.addEventListener("status", () =>
		setText(collector, source.status.collector ?? ""));
	show();
}
