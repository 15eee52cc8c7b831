// Times shown as ages: "12 s", with the moment itself as the title. They grow
// by themselves, all of them from one timer.

import { el, setText } from "./dom.js";
import { formatTimeOfDay, formatDuration, formatDateTime } from "./format.js";

function ageText(at) {
	return formatDuration((Date.now() - at) / 1000);
}

export function ageElement(at) {
	if (!at)
		return el("span", { class: "none" }, "–");
	const date = new Date(at);

	return el("time", { datetime: at, title: formatDateTime(date),
		"data-age": true }, ageText(date));
}

export function timeOfDayElement(at) {
	const date = new Date(at);

	return el("time", { datetime: at, title: formatDateTime(date) },
		formatTimeOfDay(date));
}

export function dateTimeElement(at) {
	if (!at)
		return el("span", { class: "none" }, "–");
	return el("time", { datetime: at }, formatDateTime(new Date(at)));
}

export function startAgeTimer() {
	setInterval(() => {
		for (const time of document.querySelectorAll("time[data-age]"))
			setText(time, ageText(new Date(time.dateTime)));
	}, 1000);
}
