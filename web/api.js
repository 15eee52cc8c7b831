// Asking the collector. Addresses are relative, so that the page also works
// behind a proxy that serves it under a path of its own.

export class ApiError extends Error {
	constructor(status, message, hint) {
		super(message);
		this.name = "ApiError";
		this.status = status;
		this.hint = hint;
	}
}

export function apiUrl(path, params = {}) {
	const url = new URL(`api/v1/${path}`, document.baseURI);

	for (const [name, value] of Object.entries(params)) {
		if (value !== null && value !== undefined && value !== "")
			url.searchParams.set(name, value);
	}
	return url;
}

async function errorOf(response) {
	let body = {};

	try {
		body = await response.json();
	} catch {
		// A proxy in between answers in HTML; the status is all there is.
	}
	return new ApiError(response.status,
		body.error ?? `the collector answered ${response.status}`,
		body.hint ?? "");
}

export async function apiGet(path, params, signal) {
	let response;

	try {
		response = await fetch(apiUrl(path, params), { signal });
	} catch (error) {
		if (signal?.aborted)
			throw error;
		throw new ApiError(0, "the collector cannot be reached", "");
	}
	if (!response.ok)
		throw await errorOf(response);
	return response.json();
}
