// Stat tiles: a name, a number that is read from across the room, and a
// remark below it.

import { el, setText } from "./dom.js";

export class StatTile {
	#value = el("dd", { class: "value" }, "–");
	#note = el("dd", { class: "note" });

	constructor(name, { id, swatch } = {}) {
		this.element = el("div", { class: "stat-tile", id },
			el("dt", {}, swatch ? el("span",
				{ class: `swatch ${swatch}` }) : null, name),
			this.#value, this.#note);
	}

	show(value, note = "", level = "") {
		setText(this.#value, value);
		setText(this.#note, note);
		this.element.dataset.level = level;
	}
}

export function statTiles(label, tiles) {
	return el("dl", { class: "stat-tiles", "aria-label": label },
		tiles.map((tile) => tile.element));
}
