// A router's token is the word that stands for it in subjects and addresses of
// pages: v4_192_0_2_1, v6_2001_db8_0_0_0_0_0_1 or id_name. People read it as the
// address or the name it was made from.

function shortIpv6(groups) {
	try {
		// The browser knows how to leave out zeros.
		return new URL(`http://[${groups.join(":")}]/`)
			.hostname.slice(1, -1);
	} catch {
		return groups.join(":");
	}
}

export function tokenText(token) {
	const [kind, ...parts] = token.split("_");

	if (kind === "v4" && parts.length === 4)
		return parts.join(".");
	if (kind === "v6" && parts.length === 8)
		return shortIpv6(parts);
	return kind === "id" ? parts.join("_") : token;
}
