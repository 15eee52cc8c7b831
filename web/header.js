// What stays while the views change: search, keys, the state of the connection.

import { age } from "./time.js";
import { el, setText } from "./dom.js";
import { clock } from "./format.js";
import { sentence } from "./notices.js";
import { link } from "./url.js";

const WORDS = { connecting: "connecting", live: "live", lost: "lost" };

function typing(target) {
	return target.closest("input, textarea, select") !== null;
}

export function connectSearch(form) {
	const input = form.elements.prefix;

	form.addEventListener("submit", (event) => {
		event.preventDefault();
		const prefix = input.value.trim();

		if (!prefix)
			return;
		location.hash = link(["lookup"], { prefix, match: "longest" });
		input.value = "";
		input.blur();
	});
	document.addEventListener("keydown", (event) => {
		const plain = !event.ctrlKey && !event.metaKey && !event.altKey;

		if (event.key === "/" && plain && !typing(event.target)) {
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

function bannerText(feed) {
	return [
		el("strong", {}, "Connection to the collector lost"),
		` at ${clock(feed.since)}, `,
		// It changes every second: not to be read out.
		el("span", { "aria-hidden": "true" },
			age(feed.since.toISOString())),
		` ago. ${feed.why ? `${sentence(feed.why)} ` : ""}What is shown `
			+ "is from then. The page tries again by itself; is ",
		el("code", {}, "arancini run"), " running?",
	];
}

export function connectState(feed, { chip, banner, collector }) {
	const show = () => {
		const lost = feed.state === "lost";

		chip.dataset.state = feed.state;
		setText(chip, WORDS[feed.state]);
		document.body.classList.toggle("lost", lost);
		banner.hidden = !lost;
		if (lost)
			banner.replaceChildren(...bannerText(feed));
	};

	feed.addEventListener("state", show);
	feed.addEventListener("status", () =>
		setText(collector, feed.status.collector ?? ""));
	show();
}
