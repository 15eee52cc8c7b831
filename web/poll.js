// Doing something now and every few seconds for as long as a view is open; an
// error is shown in the element and the next attempt follows.

import { errorNotice } from "./notices.js";

const REFRESH_MS = 5000;

export async function poll(page, element, load) {
	let timer = null;
	const run = async () => {
		try {
			await load();
		} catch (error) {
			if (page.signal.aborted)
				return;
			element.replaceChildren(errorNotice(error));
		}
		if (!page.signal.aborted)
			timer = setTimeout(run, REFRESH_MS);
	};

	page.signal.addEventListener("abort", () => clearTimeout(timer));
	await run();
}
