#include "bmp/names.h"

#include "bmp/attr_row.h"
#include "bmp/capability.h"
#include "bmp/nlri_ops.h"
#include "bmp/open.h"
#include "bmp/stats.h"
#include "bmp/update.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const char *name_lookup(const char *const *table, unsigned count,
			       unsigned i)
{
	return i < count && table[i] != 0 ? table[i] : "unknown";
}

const char *bmp_frame_status_name(unsigned status)
{
	static const char *const names[BMP_FRAME_STATUSES] = {
		[BMP_FRAME_WHOLE] = "whole",
		[BMP_FRAME_PARTIAL] = "partial",
		[BMP_FRAME_BAD_VERSION] = "bad-version",
		[BMP_FRAME_TOO_SHORT] = "too-short",
		[BMP_FRAME_TOO_LONG] = "too-long",
	};

	return name_lookup(names, COUNT(names), status);
}

const char *bmp_type_name(unsigned type)
{
	static const char *const names[BMP_TYPES] = {
		[BMP_ROUTE_MONITORING] = "route-monitoring",
		[BMP_STATISTICS] = "statistics",
		[BMP_PEER_DOWN] = "peer-down",
		[BMP_PEER_UP] = "peer-up",
		[BMP_INITIATION] = "initiation",
		[BMP_TERMINATION] = "termination",
		[BMP_ROUTE_MIRRORING] = "route-mirroring",
	};

	return name_lookup(names, COUNT(names), type);
}

const char *bmp_status_name(unsigned status)
{
	static const char *const names[BMP_STATUSES] = {
		[BMP_OK] = "ok",
		[BMP_CUT_TLVS] = "cut-tlvs",
		[BMP_TRAILING_BYTES] = "trailing-bytes",
		[BMP_OPEN_UNUSABLE] = "open-unusable",
		[BMP_NO_NOTIFICATION] = "no-notification",
		[BMP_UNKNOWN_REASON] = "unknown-reason",
		[BMP_UNKNOWN_TYPE] = "unknown-type",
		[BMP_UNKNOWN_PEER_TYPE] = "unknown-peer-type",
		[BMP_V4_REFUSED] = "v4-refused",
		[BMP_SHORT] = "short",
		[BMP_BAD_PDU] = "bad-pdu",
		[BMP_NOT_UPDATE] = "not-update",
	};

	return name_lookup(names, COUNT(names), status);
}

const char *bmp_peer_type_name(unsigned type)
{
	static const char *const names[BMP_PEER_TYPES] = {
		[BMP_PEER_GLOBAL] = "global",
		[BMP_PEER_RD] = "rd",
		[BMP_PEER_LOCAL] = "local",
		[BMP_PEER_LOC_RIB] = "loc-rib",
	};

	return name_lookup(names, COUNT(names), type);
}

const char *bmp_view_name(unsigned view)
{
	static const char *const names[BMP_VIEWS] = {
		[BMP_VIEW_IN_PRE] = "adj-rib-in-pre",
		[BMP_VIEW_IN_POST] = "adj-rib-in-post",
		[BMP_VIEW_OUT_PRE] = "adj-rib-out-pre",
		[BMP_VIEW_OUT_POST] = "adj-rib-out-post",
		[BMP_VIEW_LOC_RIB] = "loc-rib",
	};

	return name_lookup(names, COUNT(names), view);
}

const char *bmp_down_reason_name(unsigned reason)
{
	static const char *const names[BMP_DOWN_REASONS] = {
		[BMP_DOWN_LOCAL_NOTIFICATION] = "local-notification",
		[BMP_DOWN_LOCAL_FSM] = "local-fsm-event",
		[BMP_DOWN_REMOTE_NOTIFICATION] = "remote-notification",
		[BMP_DOWN_REMOTE] = "remote-no-data",
		[BMP_DOWN_DECONFIGURED] = "de-configured",
		[BMP_DOWN_LOC_RIB] = "local-tlvs",
	};

	return name_lookup(names, COUNT(names), reason);
}

const char *bmp_term_reason_name(unsigned reason)
{
	static const char *const names[BMP_TERM_REASONS] = {
		[BMP_TERM_ADMIN] = "administratively-closed",
		[BMP_TERM_UNSPECIFIED] = "unspecified",
		[BMP_TERM_OUT_OF_RESOURCES] = "out-of-resources",
		[BMP_TERM_REDUNDANT] = "redundant-connection",
		[BMP_TERM_FOR_EVER] = "permanently-closed",
	};

	return name_lookup(names, COUNT(names), reason);
}

const char *bmp_stat_name(unsigned type)
{
	static const char *const names[BMP_STAT_TYPES] = {
		[0] = "rejected-by-policy",
		[1] = "duplicate-prefix",
		[2] = "duplicate-withdraw",
		[3] = "cluster-list-loop",
		[4] = "as-path-loop",
		[5] = "originator-id-loop",
		[6] = "as-confed-loop",
		[7] = "adj-rib-in-routes",
		[8] = "loc-rib-routes",
		[9] = "adj-rib-in-routes-family",
		[10] = "loc-rib-routes-family",
		[11] = "updates-treat-as-withdraw",
		[12] = "prefixes-treat-as-withdraw",
		[13] = "duplicate-updates",
		[14] = "adj-rib-out-pre-routes",
		[15] = "adj-rib-out-post-routes",
		[16] = "adj-rib-out-pre-routes-family",
		[17] = "adj-rib-out-post-routes-family",
		[18] = "adj-rib-in-pre-routes",
		[19] = "adj-rib-in-pre-routes-family",
		[20] = "adj-rib-in-post-routes",
		[21] = "adj-rib-in-post-routes-family",
		[22] = "adj-rib-in-pre-rejected-family",
		[23] = "adj-rib-in-post-accepted-family",
		[26] = "damped-family",
		[27] = "stale-gr-family",
		[28] = "stale-llgr-family",
		[29] = "left-before-prefix-limit",
		[30] = "left-before-prefix-limit-family",
		[31] = "left-before-licence-limit",
		[32] = "left-before-licence-limit-family",
		[33] = "adj-rib-in-as-path-too-long",
		[34] = "adj-rib-in-as-path-too-long-family",
		[35] = "adj-rib-in-rpki-invalid-family",
		[36] = "adj-rib-in-rpki-valid-family",
		[37] = "adj-rib-in-rpki-not-found-family",
		[38] = "adj-rib-out-pre-rejected-family",
		[39] = "adj-rib-out-as-path-too-long",
		[40] = "adj-rib-out-as-path-too-long-family",
		[41] = "adj-rib-out-rpki-invalid-family",
		[42] = "adj-rib-out-rpki-valid-family",
		[43] = "adj-rib-out-rpki-not-found-family",
	};

	return name_lookup(names, COUNT(names), type);
}

const char *bmp_mirror_information_name(unsigned code)
{
	static const char *const names[] = { "errored-pdu", "messages-lost" };

	return name_lookup(names, COUNT(names), code);
}

/* draft-ietf-grow-bmp-path-marking-tlv-05 3.1 */
const char *bmp_path_status_name(unsigned bit)
{
	static const char *const names[] = {
		"invalid",     "best",		"non-selected",	 "primary",
		"backup",      "non-installed", "best-external", "add-path",
		"filtered-in", "filtered-out",	"stale",	 "suppressed",
	};

	return name_lookup(names, COUNT(names), bit);
}

/* draft-ietf-grow-bmp-path-marking-tlv-05 3.2 */
const char *bmp_path_reason_name(unsigned reason)
{
	static const char *const names[] = {
		[1] = "invalid-as-loop",
		[2] = "invalid-next-hop-unresolvable",
		[3] = "local-preference",
		[4] = "as-path-length",
		[5] = "origin",
		[6] = "med",
		[7] = "peer-type",
		[8] = "igp-cost",
		[9] = "router-id",
		[10] = "peer-address",
		[11] = "aigp",
	};

	return name_lookup(names, COUNT(names), reason);
}

const char *bgp_pdu_type_name(unsigned type)
{
	static const char *const names[] = {
		[BGP_PDU_OPEN] = "open",
		[BGP_PDU_UPDATE] = "update",
		[BGP_PDU_NOTIFICATION] = "notification",
		[BGP_PDU_KEEPALIVE] = "keepalive",
		[BGP_PDU_ROUTE_REFRESH] = "route-refresh",
	};

	return name_lookup(names, COUNT(names), type);
}

/* IANA: BGP Error (Notification) Codes, and their subcodes */
#define SUBCODES_MAX 12

static const struct {
	const char *name;
	const char *subcodes[SUBCODES_MAX];
} errors[] = {
	[1] = { "message-header-error",
		{ "unspecific", "connection-not-synchronized",
		  "bad-message-length", "bad-message-type" } },
	[2] = { "open-message-error",
		{ "unspecific", "unsupported-version-number", "bad-peer-as",
		  "bad-bgp-identifier", "unsupported-optional-parameter",
		  "authentication-failure", "unacceptable-hold-time",
		  "unsupported-capability", /* RFC 5492 */
		  [11] = "role-mismatch" /* RFC 9234 */ } },
	[3] = { "update-message-error",
		{ "unspecific", "malformed-attribute-list",
		  "unrecognized-well-known-attribute",
		  "missing-well-known-attribute", "attribute-flags-error",
		  "attribute-length-error", "invalid-origin-attribute",
		  "as-routing-loop", "invalid-next-hop-attribute",
		  "optional-attribute-error", "invalid-network-field",
		  "malformed-as-path" } },
	[4] = { "hold-timer-expired", { "unspecific" } },
	[5] = { "finite-state-machine-error", /* RFC 6608 */
		{ "unspecified", "unexpected-message-in-open-sent",
		  "unexpected-message-in-open-confirm",
		  "unexpected-message-in-established" } },
	[6] = { "cease", /* RFC 4486, RFC 8538, RFC 9384 */
		{ "unspecific", "maximum-number-of-prefixes-reached",
		  "administrative-shutdown", "peer-de-configured",
		  "administrative-reset", "connection-rejected",
		  "other-configuration-change",
		  "connection-collision-resolution", "out-of-resources",
		  "hard-reset", "bfd-down" } },
	[7] = { "route-refresh-message-error", /* RFC 7313 */
		{ [1] = "invalid-message-length" } },
	[8] = { "send-hold-timer-expired", /* RFC 9687 */
		{ "unspecific" } },
};

const char *bgp_error_name(unsigned code)
{
	return code < COUNT(errors) && errors[code].name != NULL
		       ? errors[code].name
		       : "unknown";
}

const char *bgp_error_subcode_name(unsigned code, unsigned subcode)
{
	return code < COUNT(errors) ? name_lookup(errors[code].subcodes,
						  SUBCODES_MAX, subcode)
				    : "unknown";
}

const char *bgp_fsm_event_name(unsigned event)
{
	static const char *const names[] = {
		[1] = "manual-start",
		[2] = "manual-stop",
		[3] = "automatic-start",
		[4] = "manual-start-passive",
		[5] = "automatic-start-passive",
		[6] = "automatic-start-damped",
		[7] = "automatic-start-damped-passive",
		[8] = "automatic-stop",
		[9] = "connect-retry-timer-expires",
		[10] = "hold-timer-expires",
		[11] = "keepalive-timer-expires",
		[12] = "delay-open-timer-expires",
		[13] = "idle-hold-timer-expires",
		[14] = "tcp-connection-valid",
		[15] = "tcp-cr-invalid",
		[16] = "tcp-cr-acked",
		[17] = "tcp-connection-confirmed",
		[18] = "tcp-connection-fails",
		[19] = "bgp-open",
		[20] = "bgp-open-with-delay-open-timer",
		[21] = "bgp-header-error",
		[22] = "bgp-open-message-error",
		[23] = "open-collision-dump",
		[24] = "notification-version-error",
		[25] = "notification",
		[26] = "keepalive",
		[27] = "update",
		[28] = "update-message-error",
		[29] = "send-hold-timer-expires", /* RFC 9687 */
	};

	return name_lookup(names, COUNT(names), event);
}

const char *bgp_open_status_name(unsigned status)
{
	static const char *const names[BGP_OPEN_STATUSES] = {
		[BGP_OPEN_OK] = "ok",
		[BGP_OPEN_CUT_PARAMETERS] = "cut-parameters",
		[BGP_OPEN_BAD_CAPABILITY] = "bad-capability",
		[BGP_OPEN_SHORT] = "short",
		[BGP_OPEN_BAD_VERSION] = "bad-version",
	};

	return name_lookup(names, COUNT(names), status);
}

const char *bgp_capability_name(unsigned code)
{
	const struct bgp_capability_row *row = bgp_capability_row(code);

	return row != NULL ? row->name : "unknown";
}

const char *bgp_attr_name(unsigned code)
{
	const char *name = code < 256 ? bgp_attr_rows[code].name : NULL;

	return name != NULL ? name : "unknown";
}

const char *bgp_verdict_name(unsigned verdict)
{
	static const char *const names[BGP_VERDICTS] = {
		[BGP_ACCEPT] = "accept",
		[BGP_DISCARD_ATTR] = "attribute-discard",
		[BGP_WITHDRAW] = "treat-as-withdraw",
		[BGP_DISABLE_FAMILY] = "afi-safi-disable",
		[BGP_RESET] = "session-reset",
	};

	return name_lookup(names, COUNT(names), verdict);
}

const char *bgp_fault_name(unsigned fault)
{
	static const char *const names[BGP_FAULTS] = {
		[BGP_FAULT_NONE] = "none",
		[BGP_FAULT_FLAGS] = "attribute-flags",
		[BGP_FAULT_LENGTH] = "attribute-length",
		[BGP_FAULT_VALUE] = "attribute-value",
		[BGP_FAULT_TWICE] = "attribute-twice",
		[BGP_FAULT_OVERRUN] = "attribute-overrun",
		[BGP_FAULT_MISSING] = "attribute-missing",
		[BGP_FAULT_NEXT_HOP] = "next-hop-length",
		[BGP_FAULT_NLRI] = "nlri",
		[BGP_FAULT_SECTIONS] = "field-lengths",
	};

	return name_lookup(names, COUNT(names), fault);
}

const char *bgp_nlri_kind_name(unsigned kind)
{
	return kind < BGP_NLRI_KINDS ? bgp_nlri_ops[kind]->name : "unknown";
}
