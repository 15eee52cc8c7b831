// Starts the page: one event source, one history of its status, one view at a
// time.

import { startAgeTimer } from "./time.js";
import { el } from "./dom.js";
import { CollectorEventSource } from "./event-source.js";
import { connectSearch, connectSkipLink, connectStateLabel } from "./header.js";
import { notice } from "./notices.js";
import { parseHash } from "./url.js";
import { StatusHistory } from "./history.js";
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

function notFoundView(page) {
	page.main.append(el("h1", {}, "No such page"), notice({
		title: "The address leads nowhere",
		links: [["Overview", "#/"], ["Routers", "#/routers"],
			["Peers", "#/peers"]] }));
}

function markCurrentLink(nav, segments) {
	const current = `#/${segments[0] ?? ""}`;

	for (const a of nav.querySelectorAll("a")) {
		if (a.getAttribute("href") === current)
			a.setAttribute("aria-current", "page");
		else
			a.removeAttribute("aria-current");
	}
}

// Everything a view listens to ends with its signal.
class ViewSwitcher {
	#main;
	#nav;
	#shared;
	#controller = null;

	constructor(main, nav, shared) {
		this.#main = main;
		this.#nav = nav;
		this.#shared = shared;
	}

	show() {
		const address = parseHash(location.hash);
		const [first = ""] = address.segments;
		const [title, view] = VIEWS[`${first}/${address.segments.length}`]
			?? ["No such page", notFoundView];

		this.#controller?.abort();
		this.#controller = new AbortController();
		this.#main.replaceChildren();
		document.title = `${title} – arancini`;
		markCurrentLink(this.#nav, address.segments);
		scrollTo(0, 0);
		view({ ...this.#shared, main: this.#main, address,
			signal: this.#controller.signal });
	}
}

function start() {
	const [main, nav, label, banner, collector] = ["main", "nav", "link",
		"banner", "collector"].map((id) => document.getElementById(id));
	const source = new CollectorEventSource();
	const views = new ViewSwitcher(main, nav,
		{ source, history: new StatusHistory(source) });

	connectThemeSwitch(document.getElementById("theme"));
	connectSearch(document.getElementById("search"));
	connectSkipLink(document.getElementById("skip"), main);
	connectStateLabel(source, { label, banner, collector });
	startAgeTimer();
	addEventListener("hashchange", () => views.show());
	views.show();
	source.start();
}

start();
