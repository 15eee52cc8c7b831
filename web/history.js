// The last minutes of status, one sample a second, for the charts. Kept for as
// long as the page lives, so that another view does not cost the history.

export const SECONDS_KEPT = 300;

function sample(status) {
	const fills = (status.workers ?? []).map((w) => w.bridge?.fill ?? 0);

	return {
		at: Date.now(),
		rates: status.rates ?? {},
		safeP50: status.output?.safeSecondsP50,
		safeP99: status.output?.safeSecondsP99,
		fillMost: fills.length ? Math.max(...fills) : null,
		fillMean: fills.length
			? fills.reduce((a, b) => a + b) / fills.length : null,
	};
}

export class Samples {
	list = [];

	constructor(feed) {
		feed.addEventListener("status", () => this.#add(sample(feed.status)));
		// A hole in the lines is honest; a line across it is not.
		feed.addEventListener("state", () => {
			if (feed.state === "lost")
				this.#add({ at: Date.now(), rates: {} });
		});
	}

	#add(one) {
		const oldest = one.at - 1000 * SECONDS_KEPT;

		this.list.push(one);
		while (this.list[0].at < oldest)
			this.list.shift();
	}
}
