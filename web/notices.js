// What to say where there is nothing to show: what it means and what to do.

import { el } from "./dom.js";

export function notice({ title, text, code, links = [] }) {
	return el("section", { class: "notice" },
		el("h2", {}, title),
		text ? el("p", {}, text) : null,
		code ? el("pre", {}, el("code", {}, code)) : null,
		links.length ? el("p", { class: "links" }, links.map(
			([label, href]) => el("a", { href }, label))) : null);
}

export function errorNotice(error) {
	return el("section", { class: "notice failed", role: "alert" },
		el("h2", {}, asSentence(error.message)),
		error.hint ? el("p", {}, asSentence(error.hint)) : null);
}

export function asSentence(text) {
	const end = /[.!?]$/.test(text) ? "" : ".";

	return text.charAt(0).toUpperCase() + text.slice(1) + end;
}

// Where routers reach this collector: what it listens on, with the name the
// operator reached the page by in place of "any address".
export function bmpAddress(status) {
	const listen = status?.listen?.[0] ?? "0.0.0.0:4000";
	const [, host, port] = listen.match(/^\[?(.*?)\]?:(\d+)$/)
		?? [null, "0.0.0.0", "4000"];

	return { host: ["0.0.0.0", "::"].includes(host)
		? location.hostname : host, port };
}

export function noRouterNotice(status) {
	const { host, port } = bmpAddress(status);

	return el("div", {},
		notice({
			title: "No router has connected yet",
			text: `Point a router's BMP session at ${host}, port ${
				port}. With FRR (bgpd started with -M bmp):`,
			code: `router bgp 64512
 bmp targets arancini
  bmp connect ${host} port ${port} min-retry 1000 max-retry 30000
  bmp monitor ipv4 unicast pre-policy
  bmp monitor ipv6 unicast pre-policy`,
		}),
		notice({
			title: "Or try it with made-up ones",
			text: "Two routers with three peers each, and 200 "
				+ "changes a second:",
			code: `arancini generate --to ${host}:${port} `
				+ "--routers 2 --peers 3 --prefixes 10k "
				+ "--churn 200",
		}));
}
