// Doing something now and every few seconds for as long as a view is open; a
// failure is said in its place and tried again.

import { failure } from "./notices.js";

const REFRESH_MS = 5000;

export async function refreshed(page, place, load) {
	let timer = null;
	const turn = async () => {
		try {
			await load();
		} catch (error) {
			if (page.signal.aborted)
				return;
			place.replaceChildren(failure(error));
		}
		if (!page.signal.aborted)
			timer = setTimeout(turn, REFRESH_MS);
	};

	page.signal.addEventListener("abort", () => clearTimeout(timer));
	await turn();
}
