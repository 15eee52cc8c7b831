// Where in the page one is, as the address says: "#/peers?filter=64512".

export function parseHash(hash) {
	const [path, query = ""] = hash.replace(/^#\/?/, "").split("?", 2);

	return {
		segments: path.split("/").filter(Boolean).map(decodeSegment),
		query: new URLSearchParams(query),
	};
}

function decodeSegment(segment) {
	try {
		return decodeURIComponent(segment);
	} catch {
		return segment;	// typed by hand: a lone percent sign
	}
}

export function pageHash(segments, query = {}) {
	const given = Object.entries(query).filter(([, value]) => value);
	const params = new URLSearchParams(given).toString();

	return `#/${segments.map(encodeURIComponent).join("/")}${
		params ? `?${params}` : ""}`;
}

// Change what the address says about this view without leaving it: sorting
// and typing must not fill the history.
export function replaceQuery(changes) {
	const { segments, query } = parseHash(location.hash);
	const merged = { ...Object.fromEntries(query), ...changes };

	history.replaceState(null, "", pageHash(segments, merged));
}
