// Values as text. Numbers are grouped, units are those of the API
// (seconds and bytes), times are UTC like the collector's log.

const NONE = "–";
const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const tenths = new Intl.NumberFormat("en", { minimumFractionDigits: 1,
	maximumFractionDigits: 1 });
const short = new Intl.NumberFormat("en", { notation: "compact",
	maximumFractionDigits: 1 });

function isMissing(n) {
	return n === null || n === undefined || Number.isNaN(n);
}

export function formatCount(n) {
	return isMissing(n) ? NONE : grouped.format(n);
}

export function formatCompact(n) {
	return isMissing(n) ? NONE : short.format(n);
}

// A slow rate is not 0: 0.3 a second is a router that lives.
export function formatRate(n) {
	if (isMissing(n))
		return NONE;
	return n > 0 && n < 10 ? tenths.format(n) : grouped.format(n);
}

export function formatDifference(n) {
	if (isMissing(n))
		return NONE;
	return n < 0 ? `−${grouped.format(-n)}` : `${n > 0 ? "+" : ""}${
		grouped.format(n)}`;
}

export function formatBytes(n) {
	if (isMissing(n))
		return NONE;
	const units = ["B", "KiB", "MiB", "GiB", "TiB"];
	let unit = 0;

	for (; n >= 1024 && unit < units.length - 1; unit++)
		n /= 1024;
	return `${unit && n < 100 ? tenths.format(n) : grouped.format(n)} ${
		units[unit]}`;
}

export function formatPercent(share) {
	if (isMissing(share))
		return NONE;
	return `${share > 0 && share < 0.1 ? tenths.format(100 * share)
		: grouped.format(100 * share)} %`;
}

// A latency: three digits are enough at any magnitude.
export function formatLatency(seconds) {
	if (isMissing(seconds))
		return NONE;
	if (seconds === 0)
		return "0";
	if (seconds < 0.001)
		return `${grouped.format(seconds * 1e6)} µs`;
	if (seconds < 1)
		return `${Number((seconds * 1e3).toPrecision(3))} ms`;
	return `${Number(seconds.toPrecision(3))} s`;
}

const STEPS = [[86400, "d", 3600, "h"], [3600, "h", 60, "min"],
	[60, "min", 1, "s"]];

// A span of time by its two largest units.
export function formatDuration(seconds) {
	if (isMissing(seconds))
		return NONE;
	seconds = Math.max(0, Math.floor(seconds));
	for (const [large, largeName, small, smallName] of STEPS) {
		if (seconds < large)
			continue;
		const rest = Math.floor(seconds % large / small);

		return `${Math.floor(seconds / large)} ${largeName}${
			rest ? ` ${rest} ${smallName}` : ""}`;
	}
	return `${seconds} s`;
}

export function formatTimeOfDay(at) {
	return `${at.toISOString().slice(11, 19)} UTC`;
}

export function formatDateTime(at) {
	return at.toISOString().slice(0, 19).replace("T", " ") + " UTC";
}

export function formatPlural(n, one, many = `${one}s`) {
	return `${formatCount(n)} ${n === 1 ? one : many}`;
}
