// Lines over the last minutes, drawn by Chart.js. Each chart is a figure with a
// legend in HTML, which names the lines, shows their newest values and lends
// them its colours, so that the stylesheet decides about both.

// It is written for a plain script tag and leaves its name in the window.
import "./chart.js";
import { el, setText } from "./dom.js";
import { SECONDS_KEPT } from "./history.js";
import { themeChanges } from "./theme-switch.js";

const { Chart } = globalThis;

function tickLabel(seconds) {
	return seconds === 0 ? "now" : `−${-seconds / 60} min`;
}

function chartOptions(format, ceiling) {
	const ticks = () => ({ font: { size: 11 }, maxRotation: 0 });

	return {
		animation: false,
		maintainAspectRatio: false,
		interaction: { mode: "index", intersect: false, axis: "x" },
		plugins: {
			legend: { display: false },
			tooltip: {
				animation: false,
				callbacks: {
					title: ([item]) =>
						`${Math.round(-item.parsed.x)} s ago`,
					label: (item) => ` ${item.dataset.label} ${
						format(item.parsed.y)}`,
				},
			},
		},
		scales: {
			x: {
				type: "linear", min: -SECONDS_KEPT, max: 0,
				grid: { display: false },
				ticks: { ...ticks(), stepSize: 60, callback: tickLabel },
			},
			y: {
				beginAtZero: true, suggestedMax: ceiling,
				grid: { drawBorder: false },
				ticks: { ...ticks(), maxTicksLimit: 5,
					callback: format },
			},
		},
	};
}

function legendItem(line) {
	const value = el("output", {}, "–");
	const swatch = el("span", { class: `swatch ${line.colour}` });

	return { value, swatch,
		element: el("li", {}, swatch, line.name, " ", value) };
}

export class LineChart {
	#lines;
	#format;
	#legend;
	#chart;
	#canvas;

	// lines: [{ name, colour, value(sample) }]; colour is a class
	constructor({ title, note, lines, format, ceiling, signal }) {
		this.#lines = lines;
		this.#format = format;
		this.#legend = lines.map(legendItem);
		this.#canvas = el("canvas", { role: "img", "aria-label": title });
		this.element = el("figure", { class: "chart" },
			el("figcaption", {}, el("h2", {}, title),
				el("p", { class: "note" }, note)),
			el("ul", { class: "legend" },
				this.#legend.map((item) => item.element)),
			el("div", { class: "plot" }, this.#canvas));
		this.#start(chartOptions(format, ceiling), signal);
	}

	#start(options, signal) {
		this.#chart = new Chart(this.#canvas, {
			type: "line",
			data: { datasets: this.#lines.map((line) => ({
				label: line.name, data: [], pointRadius: 0,
				borderWidth: 1.5, borderJoinStyle: "round",
				parsing: false })) },
			options,
		});
		themeChanges.addEventListener("change", () => this.#applyTheme(),
			{ signal });
		signal.addEventListener("abort", () => this.#chart.destroy());
	}

	// Once the figure is in the page: before, nothing has a colour.
	#applyTheme() {
		const { scales } = this.#chart.options;
		const { color, borderTopColor, fontFamily } =
			getComputedStyle(this.element);

		for (const scale of Object.values(scales)) {
			scale.ticks.color = color;
			scale.ticks.font.family = fontFamily;
			scale.grid.color = borderTopColor;
		}
		this.#chart.data.datasets.forEach((set, i) => {
			set.borderColor = getComputedStyle(
				this.#legend[i].swatch).color;
			set.backgroundColor = set.borderColor;
		});
		this.#chart.update();
	}

	draw(samples) {
		const now = Date.now();
		const newest = samples.at(-1);

		this.#lines.forEach((line, i) => {
			this.#chart.data.datasets[i].data = samples.map((s) => ({
				x: (s.at - now) / 1000, y: line.value(s) ?? null }));
			setText(this.#legend[i].value,
				this.#format(newest && line.value(newest)));
		});
		this.#canvas.setAttribute("aria-label", this.#description());
		this.#applyTheme();
	}

	#description() {
		return this.#legend.map((item) => item.element.textContent)
			.join(", ");
	}
}
