// The first page, made for a wall display: totals, charts, warnings,
// workers, output, the newest events.

import { ageElement } from "../time.js";
import { shareMeter } from "../badges.js";
import { LineChart } from "../line-chart.js";
import { noWarningText, statusWarnings } from "../warnings.js";
import { el } from "../dom.js";
import { DefinitionPanel } from "../definition-list.js";
import { StatTile, statTiles } from "../stat-tiles.js";
import { formatBytes, formatCompact, formatCount, formatDuration,
	formatLatency, formatPercent, formatRate }
	from "../format.js";
import { eventLine } from "../events.js";
import { noRouterNotice } from "../notices.js";
import { Table } from "../table.js";

const RATES = ["received", "suppressed", "published", "synthetic"];
const EVENTS_SHOWN = 12;

function capitalize(word) {
	return word.charAt(0).toUpperCase() + word.slice(1);
}

class TotalTiles {
	#routers = new StatTile("Routers", { id: "tile-routers" });
	#peers = new StatTile("Peers up", { id: "tile-peers" });
	#routes = new StatTile("Routes", { id: "tile-routes" });
	#memory = new StatTile("Memory", { id: "tile-memory" });
	#rates = RATES.map((name) => new StatTile(`${capitalize(name)}/s`,
		{ id: `tile-${name}`, swatch: name }));

	constructor() {
		this.element = statTiles("Totals and rates", [this.#routers,
			this.#peers, this.#routes, ...this.#rates, this.#memory]);
	}

	show({ totals: t = {}, rates = {}, counters = {} }) {
		this.#routers.show(formatCount(t.routers), t.sessions
			&& t.sessions === t.routers ? "all connected"
			: `${formatCount(t.sessions)} connected`,
		t.sessions < t.routers ? "stale" : "");
		this.#peers.show(formatCount(t.peersUp), `${formatCount(t.peers)} known${
			t.peersStale ? `, ${formatCount(t.peersStale)} stale` : ""}`,
		t.peersStale ? "stale" : "");
		this.#routes.show(formatCount(t.routes),
			`${formatCompact(t.attributeSets)} attribute sets`);
		this.#memory.show(formatBytes(t.residentBytes), t.routes
			? `${formatCount(t.bytesPerRoute)} B a route` : "");
		RATES.forEach((name, i) => this.#rates[i].show(formatRate(rates[name]),
			`${formatCompact(counters[name])} in all`));
	}
}

function createCharts(signal) {
	return [
		new LineChart({
			title: "Routes a second", note: "last 5 minutes", signal,
			format: formatCompact, ceiling: 10,
			lines: RATES.map((name) => ({ name, colour: name,
				value: (s) => s.rates[name] })),
		}),
		new LineChart({
			title: "Latency", note: "until safe in the output", signal,
			format: formatLatency, ceiling: 0.001,
			lines: [{ name: "median", colour: "published",
				value: (s) => s.safeP50 },
			{ name: "99th percentile", colour: "received",
				value: (s) => s.safeP99 }],
		}),
		new LineChart({
			title: "Bridge fill", note: "workers to output", signal,
			format: formatPercent, ceiling: 0.05,
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
		value: (w) => w.routers, show: (w) => formatCount(w.routers) },
	{ id: "peers", title: "Peers", numeric: true, value: (w) => w.peers,
		show: (w) => formatCount(w.peers) },
	{ id: "routes", title: "Routes", numeric: true, value: (w) => w.routes,
		show: (w) => formatCount(w.routes) },
	{ id: "received", title: "Received/s", numeric: true,
		value: (w) => w.rates?.received,
		show: (w) => formatRate(w.rates?.received) },
	{ id: "busy", title: "Busy", numeric: true, value: (w) => w.busy,
		show: (w) => shareMeter(w.busy, "busy") },
	{ id: "bridge", title: "Bridge", numeric: true,
		value: (w) => w.bridge?.fill,
		show: (w) => shareMeter(w.bridge?.fill, "bridge fill") },
];

function outputPairs(o = {}) {
	return [
		["Kind", o.kind ?? "–"],
		["State", o.state ?? "–"],
		["Epoch", String(o.epoch ?? "–")],
		["Messages", formatCount(o.messages)],
		["Updates", formatCount(o.updates)],
		["Bytes", formatBytes(o.bytes)],
		["In flight", formatCount(o.inFlight)],
		["Waiting", formatCount(o.waiting)],
		["Spool", formatBytes(o.spoolBytes)],
		["Journal", formatBytes(o.journalBytes)],
		["Connects", formatCount(o.connects)],
		["Recoveries", formatCount(o.recoveries)],
		["Duplicates", formatCount(o.duplicates)],
		["Time-outs", formatCount(o.timeouts)],
		["Refused", formatCount(o.refused)],
		["Sent again", formatCount(o.resentMessages)],
		["Losses of the stream", formatCount(o.rollbacks)],
	];
}

function collectorPairs({ snapshots: s = {}, ...status }) {
	return [
		["Version", status.version ?? "–"],
		["Running for", formatDuration(status.uptimeSeconds)],
		["Snapshots", formatCount(s.files)],
		["Last snapshot", ageElement(s.lastAt)],
		["Snapshot took", formatLatency(s.lastSeconds)],
		["Snapshot failures", formatCount(s.failures)],
		["Snapshots in", s.where ?? "–"],
	];
}

function warningLine({ level, title: what, text, href }) {
	return el("li", { class: level },
		href ? el("a", { href }, what) : el("strong", {}, what),
		el("span", { class: "why" }, text));
}

class WarningList {
	#list = el("ul", { class: "warnings" });

	constructor() {
		this.element = el("section", { class: "panel" },
			el("h2", {}, "Needs a look"), this.#list);
	}

	show(status) {
		const found = statusWarnings(status);
		const list = el("ul", { class: "warnings" }, found.length
			? found.map(warningLine)
			: warningLine({ level: "up", title: "Nothing",
				text: noWarningText(status) }));

		if (!this.#list.isEqualNode(list)) {
			this.#list.replaceWith(list);
			this.#list = list;
		}
	}
}

function eventPanel(page) {
	const list = el("ol", { class: "events" });
	const none = el("p", { class: "note" }, "None since this page was opened.");
	const show = () => {
		const newest = page.source.events.slice(0, EVENTS_SHOWN);

		list.replaceChildren(...newest.map(eventLine));
		none.hidden = newest.length > 0;
	};

	page.source.addEventListener("event", show, { signal: page.signal });
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

function createPanels(page) {
	const output = new DefinitionPanel("Output");
	const collector = new DefinitionPanel("Collector");
	const warnings = new WarningList();
	const workers = workerPanel();

	return {
		element: el("div", { class: "panels" }, warnings.element,
			workers.element, eventPanel(page), output.element,
			collector.element),
		show(status) {
			warnings.show(status);
			workers.show(status);
			output.show(outputPairs(status.output));
			collector.show(collectorPairs(status));
		},
	};
}

export function overviewView(page) {
	const tiles = new TotalTiles();
	const charts = createCharts(page.signal);
	const below = createPanels(page);
	const welcome = el("div", { class: "welcome", hidden: true });
	const show = () => {
		const { status } = page.source;

		if (!status)
			return;
		const nobody = !status.totals?.routers;

		if (nobody && !welcome.firstChild)
			welcome.append(noRouterNotice(status));
		welcome.hidden = !nobody;
		tiles.show(status);
		charts.forEach((chart) => chart.draw(page.history.samples));
		below.show(status);
	};

	page.main.append(el("h1", { class: "unseen" }, "Overview"),
		tiles.element, welcome, el("div", { class: "charts" },
			charts.map((chart) => chart.element)), below.element);
	page.source.addEventListener("status", show, { signal: page.signal });
	show();
}
