// A route of the looking glass as cells of a table.

import { ageElement } from "./time.js";
import { peerLink, routerLink } from "./columns.js";
import { el } from "./dom.js";
import { formatCount } from "./format.js";
import { tokenText } from "./router-token.js";

const ORIGINS = { IGP: "i", EGP: "e", INCOMPLETE: "?" };

export function prefixText(route) {
	const prefix = route.nlriText ?? `${route.prefixAddr}/${
		route.prefixLen}`;

	return route.routeDistinguisher
		? `${route.routeDistinguisher} ${prefix}` : prefix;
}

export function routeKey(route) {
	return [route.router, route.peer, route.view, route.afi, route.safi,
		prefixText(route), route.pathId].join(" ");
}

// Sets in braces, confederations in parentheses, as routers print them.
function segmentText({ type, asns }) {
	const words = asns.join(" ");

	if (type.endsWith("Set"))
		return `{${words}}`;
	return type.startsWith("confed") ? `(${words})` : words;
}

function pathText(route) {
	if (route.asPathSegments)
		return route.asPathSegments.map(segmentText).join(" ");
	return (route.asPath ?? []).join(" ");
}

function pathCell(route) {
	if (route.attributesKnown === false)
		return el("span", { class: "note" },
			"not known until the router repeats it");
	const origin = ORIGINS[route.origin];

	return el("span", {}, pathText(route), origin
		? [" ", el("span", { class: "note", title:
			`origin ${route.origin}` }, origin)] : null);
}

function extendedCommunityText(community) {
	if (typeof community === "string")
		return community;
	return community.text ?? `${community.typeHigh}:${
		community.typeLow}:${community.value}`;
}

// As text if all of them have one: the lists are not matched otherwise.
function ipv6ExtendedCommunities(route) {
	const texts = route.ipv6ExtendedCommunityTexts;
	const all = route.ipv6ExtendedCommunities;

	return texts?.length === all?.length ? texts : all;
}

// The plain ones at sight, the others a press away: some routes have dozens.
function communitiesCell(route) {
	const more = [
		["large", route.largeCommunities],
		["extended", route.extendedCommunities],
		["IPv6 extended", ipv6ExtendedCommunities(route)],
	].filter(([, list]) => list?.length);

	return el("span", {}, (route.communities ?? []).join(" "), " ",
		more.length ? el("details", {},
			el("summary", {}, "+ ", more.map(([name, list]) =>
				`${formatCount(list.length)} ${name}`).join(", ")),
			more.map(([, list]) => el("p", {},
				list.map(extendedCommunityText).join(" ")))) : null);
}

export const routeColumns = [
	{ id: "prefix", title: "Prefix", value: prefixText, class: "mono",
		show: (r) => el("span", {}, prefixText(r),
			r.pathId === undefined ? null
				: el("span", { class: "note" }, ` path ${r.pathId}`)) },
	{ id: "peer", title: "Peer", value: (r) => r.peerAddr, class: "mono",
		show: (r) => peerLink(r.router, r.peer, r.peerAddr) },
	{ id: "asn", title: "AS", value: (r) => r.peerAsn,
		show: (r) => String(r.peerAsn) },
	{ id: "router", title: "Router", value: (r) => tokenText(r.router),
		class: "mono",
		show: (r) => routerLink(r.router) },
	{ id: "view", title: "View", class: "view", value: (r) => r.view,
		show: (r) => el("span", {}, r.view, r.stale
			? el("span", { class: "differs" }, " stale") : null) },
	{ id: "path", title: "AS path", class: "path mono",
		value: (r) => r.asPath?.length ?? null, show: pathCell },
	{ id: "nexthop", title: "Next hop", value: (r) => r.nextHop ?? null,
		class: "mono" },
	{ id: "preference", title: "Pref", numeric: true,
		value: (r) => r.localPreference ?? null },
	{ id: "med", title: "MED", numeric: true,
		value: (r) => r.multiExitDisc ?? null },
	{ id: "communities", title: "Communities", class: "communities mono",
		value: (r) => (r.communities ?? []).join(" ") || null,
		show: communitiesCell },
	{ id: "age", title: "Age", numeric: true,
		value: (r) => r.changedAt ? Date.parse(r.changedAt) : null,
		show: (r) => ageElement(r.changedAt) },
];
