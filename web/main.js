// Starts the page: one feed, one history of samples, one view at a time.

import { keepAgesGrowing } from "./time.js";
import { el } from "./dom.js";
import { Feed } from "./event-source.js";
import { connectSearch, connectSkipLink, connectState } from "./header.js";
import { notice } from "./notices.js";
import { place } from "./url.js";
import { Samples } from "./history.js";
import { connectThemeSwitch } from "./theme-switch.js";
import { eventsView } from "./views/events.js";
import { lookupView } from "./views/lookup.js";
import { overviewView } from "./views/overview.js";
import { peerView } from "./views/peer.js";
import { peersView } from "./views/peers.js";
import { routerView } from "./views/router.js";
import { routersView } from "./views/routers.js";

// By the first word of the address and how many words there are.
const VIEWS = {
	"/0": ["Overview", overviewView],
	"routers/1": ["Routers", routersView],
	"routers/2": ["Router", routerView],
	"peers/1": ["Peers", peersView],
	"peers/3": ["Peer", peerView],
	"lookup/1": ["Looking glass", lookupView],
	"events/1": ["Events", eventsView],
};

function nowhere(page) {
	page.main.append(el("h1", {}, "No such page"), notice({
		title: "The address leads nowhere",
		links: [["Overview", "#/"], ["Routers", "#/routers"],
			["Peers", "#/peers"]] }));
}

function markCurrent(nav, segments) {
	const current = `#/${segments[0] ?? ""}`;

	for (const a of nav.querySelectorAll("a")) {
		if (a.getAttribute("href") === current)
			a.setAttribute("aria-current", "page");
		else
			a.removeAttribute("aria-current");
	}
}

// Everything a view listens to ends with its signal.
class Stage {
	#main;
	#nav;
	#shared;
	#ending = null;

	constructor(main, nav, shared) {
		this.#main = main;
		this.#nav = nav;
		this.#shared = shared;
	}

	show() {
		const where = place(location.hash);
		const [first = ""] = where.segments;
		const [title, view] = VIEWS[`${first}/${where.segments.length}`]
			?? ["No such page", nowhere];

		this.#ending?.abort();
		this.#ending = new AbortController();
		this.#main.replaceChildren();
		document.title = `${title} – arancini`;
		markCurrent(this.#nav, where.segments);
		scrollTo(0, 0);
		view({ ...this.#shared, main: this.#main, place: where,
			signal: this.#ending.signal });
	}
}

function start() {
	const [main, nav, chip, banner, collector] = ["main", "nav", "link",
		"banner", "collector"].map((id) => document.getElementById(id));
	const feed = new Feed();
	const stage = new Stage(main, nav,
		{ feed, samples: new Samples(feed) });

	connectThemeSwitch(document.getElementById("theme"));
	connectSearch(document.getElementById("search"));
	connectSkipLink(document.getElementById("skip"), main);
	connectState(feed, { chip, banner, collector });
	keepAgesGrowing();
	addEventListener("hashchange", () => stage.show());
	stage.show();
	feed.start();
}

start();
