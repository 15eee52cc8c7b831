// The first page, made to hang on a wall: figures, charts, what needs a look,
// workers, output, the newest events.

import { age } from "../time.js";
import { share } from "../badges.js";
import { LineChart } from "../line-chart.js";
import { allIsWell, concerns } from "../warnings.js";
import { el } from "../dom.js";
import { FactPanel } from "../definition-list.js";
import { Figure, strip } from "../stat-tiles.js";
import { bytes, compact, count, duration, latency, percent, rate }
	from "../format.js";
import { eventLine } from "../events.js";
import { noRouterYet } from "../notices.js";
import { Table } from "../table.js";

const RATES = ["received", "suppressed", "published", "synthetic"];
const EVENTS_SHOWN = 12;

function title(word) {
	return word.charAt(0).toUpperCase() + word.slice(1);
}

class Strip {
	#routers = new Figure("Routers", { id: "figure-routers" });
	#peers = new Figure("Peers up", { id: "figure-peers" });
	#routes = new Figure("Routes", { id: "figure-routes" });
	#memory = new Figure("Memory", { id: "figure-memory" });
	#rates = RATES.map((name) => new Figure(`${title(name)}/s`,
		{ id: `figure-${name}`, swatch: name }));

	constructor() {
		this.element = strip("Totals and rates", [this.#routers,
			this.#peers, this.#routes, ...this.#rates, this.#memory]);
	}

	show({ totals: t = {}, rates = {}, counters = {} }) {
		this.#routers.show(count(t.routers), t.sessions
			&& t.sessions === t.routers ? "all connected"
			: `${count(t.sessions)} connected`,
		t.sessions < t.routers ? "stale" : "");
		this.#peers.show(count(t.peersUp), `${count(t.peers)} known${
			t.peersStale ? `, ${count(t.peersStale)} stale` : ""}`,
		t.peersStale ? "stale" : "");
		this.#routes.show(count(t.routes),
			`${compact(t.attributeSets)} attribute sets`);
		this.#memory.show(bytes(t.residentBytes), t.routes
			? `${count(t.bytesPerRoute)} B a route` : "");
		RATES.forEach((name, i) => this.#rates[i].show(rate(rates[name]),
			`${compact(counters[name])} in all`));
	}
}

function charts(signal) {
	return [
		new LineChart({
			title: "Routes a second", note: "last 5 minutes", signal,
			format: compact, ceiling: 10,
			lines: RATES.map((name) => ({ name, colour: name,
				value: (s) => s.rates[name] })),
		}),
		new LineChart({
			title: "Latency", note: "until safe in the output", signal,
			format: latency, ceiling: 0.001,
			lines: [{ name: "median", colour: "published",
				value: (s) => s.safeP50 },
			{ name: "99th percentile", colour: "received",
				value: (s) => s.safeP99 }],
		}),
		new LineChart({
			title: "Bridge fill", note: "workers to output", signal,
			format: percent, ceiling: 0.05,
			lines: [{ name: "fullest", colour: "published",
				value: (s) => s.fillMost },
			{ name: "mean", colour: "received",
				value: (s) => s.fillMean }],
		}),
	];
}

const workerColumns = [
	{ id: "worker", title: "Worker", value: (w) => w.id },
	{ id: "routers", title: "Routers", numeric: true,
		value: (w) => w.routers, show: (w) => count(w.routers) },
	{ id: "peers", title: "Peers", numeric: true, value: (w) => w.peers,
		show: (w) => count(w.peers) },
	{ id: "routes", title: "Routes", numeric: true, value: (w) => w.routes,
		show: (w) => count(w.routes) },
	{ id: "received", title: "Received/s", numeric: true,
		value: (w) => w.rates?.received,
		show: (w) => rate(w.rates?.received) },
	{ id: "busy", title: "Busy", numeric: true, value: (w) => w.busy,
		show: (w) => share(w.busy, "busy") },
	{ id: "bridge", title: "Bridge", numeric: true,
		value: (w) => w.bridge?.fill,
		show: (w) => share(w.bridge?.fill, "bridge fill") },
];

function outputFacts(o = {}) {
	return [
		["Kind", o.kind ?? "–"],
		["State", o.state ?? "–"],
		["Epoch", String(o.epoch ?? "–")],
		["Messages", count(o.messages)],
		["Updates", count(o.updates)],
		["Bytes", bytes(o.bytes)],
		["In flight", count(o.inFlight)],
		["Waiting", count(o.waiting)],
		["Spool", bytes(o.spoolBytes)],
		["Journal", bytes(o.journalBytes)],
		["Connects", count(o.connects)],
		["Recoveries", count(o.recoveries)],
		["Duplicates", count(o.duplicates)],
		["Time-outs", count(o.timeouts)],
		["Refused", count(o.refused)],
	];
}

function collectorFacts({ snapshots: s = {}, ...status }) {
	return [
		["Version", status.version ?? "–"],
		["Running for", duration(status.uptimeSeconds)],
		["Snapshots", count(s.files)],
		["Last snapshot", age(s.lastAt)],
		["Snapshot took", latency(s.lastSeconds)],
		["Snapshot failures", count(s.failures)],
		["Snapshots in", s.where ?? "–"],
	];
}

function concernLine({ tone, title: what, text, href }) {
	return el("li", { class: tone },
		href ? el("a", { href }, what) : el("strong", {}, what),
		el("span", { class: "why" }, text));
}

class ConcernList {
	#list = el("ul", { class: "concerns" });

	constructor() {
		this.element = el("section", { class: "panel" },
			el("h2", {}, "Needs a look"), this.#list);
	}

	show(status) {
		const found = concerns(status);
		const list = el("ul", { class: "concerns" }, found.length
			? found.map(concernLine)
			: concernLine({ tone: "up", title: "Nothing",
				text: allIsWell(status) }));

		if (!this.#list.isEqualNode(list)) {
			this.#list.replaceWith(list);
			this.#list = list;
		}
	}
}

function newestEvents(page) {
	const list = el("ol", { class: "events" });
	const none = el("p", { class: "note" }, "None since this page was opened.");
	const show = () => {
		const newest = page.feed.events.slice(0, EVENTS_SHOWN);

		list.replaceChildren(...newest.map(eventLine));
		none.hidden = newest.length > 0;
	};

	page.feed.addEventListener("event", show, { signal: page.signal });
	show();
	return el("section", { class: "panel wide" }, el("h2", {},
		el("a", { href: "#/events" }, "Newest events")), list, none);
}

function workerPanel() {
	const table = new Table({ label: "workers", columns: workerColumns,
		key: (w) => w.id, sort: { by: "worker", descending: false } });

	return { show: ({ workers = [] }) => table.show(workers),
		element: el("section", { class: "panel" },
			el("h2", {}, "Workers"), table.element) };
}

function panels(page) {
	const output = new FactPanel("Output");
	const collector = new FactPanel("Collector");
	const attention = new ConcernList();
	const workers = workerPanel();

	return {
		element: el("div", { class: "panels" }, attention.element,
			workers.element, newestEvents(page), output.element,
			collector.element),
		show(status) {
			attention.show(status);
			workers.show(status);
			output.show(outputFacts(status.output));
			collector.show(collectorFacts(status));
		},
	};
}

export function overviewView(page) {
	const figures = new Strip();
	const plots = charts(page.signal);
	const below = panels(page);
	const welcome = el("div", { class: "welcome", hidden: true });
	const show = () => {
		const { status } = page.feed;

		if (!status)
			return;
		const nobody = !status.totals?.routers;

		if (nobody && !welcome.firstChild)
			welcome.append(noRouterYet(status));
		welcome.hidden = !nobody;
		figures.show(status);
		plots.forEach((plot) => plot.draw(page.samples.list));
		below.show(status);
	};

	page.main.append(el("h1", { class: "unseen" }, "Overview"),
		figures.element, welcome, el("div", { class: "charts" },
			plots.map((plot) => plot.element)), below.element);
	page.feed.addEventListener("status", show, { signal: page.signal });
	show();
}
