// Times shown as ages: "12 s", with the moment itself as the title. They grow
// by themselves, all of them from one timer.

import { el, setText } from "./dom.js";
import { clock, duration, moment } from "./format.js";

function text(at) {
	return duration((Date.now() - at) / 1000);
}

export function age(at) {
	if (!at)
		return el("span", { class: "none" }, "–");
	const date = new Date(at);

	return el("time", { datetime: at, title: moment(date),
		"data-age": true }, text(date));
}

export function timeOfDay(at) {
	const date = new Date(at);

	return el("time", { datetime: at, title: moment(date) }, clock(date));
}

export function fullTime(at) {
	if (!at)
		return el("span", { class: "none" }, "–");
	return el("time", { datetime: at }, moment(new Date(at)));
}

export function keepAgesGrowing() {
	setInterval(() => {
		for (const time of document.querySelectorAll("time[data-age]"))
			setText(time, text(new Date(time.dateTime)));
	}, 1000);
}
