// The last minutes of status, one sample a second, for the charts. Kept for as
// long as the page lives, so that another view does not cost the history.

export const SECONDS_KEPT = 300;

function sampleOf(status) {
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

export class StatusHistory {
	samples = [];

	constructor(source) {
		source.addEventListener("status",
			() => this.#add(sampleOf(source.status)));
		// A hole in the lines is honest; a line across it is not.
		source.addEventListener("state", () => {
			if (source.state === "lost")
				this.#add({ at: Date.now(), rates: {} });
		});
	}

	#add(sample) {
		const oldest = sample.at - 1000 * SECONDS_KEPT;

		this.samples.push(sample);
		while (this.samples[0].at < oldest)
			this.samples.shift();
	}
}
