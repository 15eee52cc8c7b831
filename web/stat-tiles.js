// A strip of figures: a name, a number that is read from across the room, and a
// remark below it.

import { el, setText } from "./dom.js";

export class Figure {
	#value = el("dd", { class: "value" }, "–");
	#note = el("dd", { class: "note" });

	constructor(name, { id, swatch } = {}) {
		this.element = el("div", { class: "figure", id },
			el("dt", {}, swatch ? el("span",
				{ class: `swatch ${swatch}` }) : null, name),
			this.#value, this.#note);
	}

	show(value, note = "", tone = "") {
		setText(this.#value, value);
		setText(this.#note, note);
		this.element.dataset.tone = tone;
	}
}

export function strip(label, figures) {
	return el("dl", { class: "figures", "aria-label": label },
		figures.map((figure) => figure.element));
}
