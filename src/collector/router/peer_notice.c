#include "collector/router/peer_notice.h"

#include "collector/base/log.h"
#include "collector/policy/filter.h"

#include "bmp/attr.h"
#include "bmp/family.h"
#include "bmp/names.h"
#include "rib/event.h"

#include <spargio/time.h>

#include <stdio.h>

#define RECORD_IT                                                      \
	"record the session and look at it with arancini decode, see " \
	"AranciniParseErrors in docs/operations.md"
#define SET_ADD_PATH                                                      \
	"set add-path or no-add-path in the section of the router if it " \
	"does not send what its OPENs say; otherwise " RECORD_IT

static const struct {
	const char *event;
	enum log_level level;
} lines[RIB_NOTICES] = {
	[RIB_NOTICE_UNREADABLE] = { "peer_unreadable", LOG_LEVEL_WARNING },
	[RIB_NOTICE_NO_UPDATE] = { "peer_unreadable", LOG_LEVEL_WARNING },
	[RIB_NOTICE_ADD_PATH] = { "add_path_differs", LOG_LEVEL_INFO },
	[RIB_NOTICE_ADD_PATH_INCOMPLETE] = { "add_path_differs",
					     LOG_LEVEL_WARNING },
};

/*
 * Add the setting with which all messages are parsed correctly from the first
 * one on.
 */
static void put_setting(struct log_line *line, const struct rib_notice *n)
{
	const struct bgp_family_info *family =
		bgp_family_info((enum bgp_family)n->table->family);
	char action[LOG_VALUE_MAX];

	snprintf(action, sizeof(action),
		 "%sset %s = %s:%s in the section of the router",
		 n->kind == RIB_NOTICE_ADD_PATH
			 ? "none needed; to make it certain, "
			 : "the table lacks routes until the router sends it "
			   "again: reset its BMP session; to prevent it, ",
		 n->add_path ? "add-path" : "no-add-path",
		 filter_view_name((enum bmp_view)n->table->view), family->name);
	log_text(line, "action", action);
}

static void put_action(struct log_line *line, const struct rib_notice *n)
{
	switch (n->kind) {
	case RIB_NOTICE_ADD_PATH:
	case RIB_NOTICE_ADD_PATH_INCOMPLETE:
		log_bool(line, "path_ids", n->add_path);
		log_u64(line, "withdrawn", n->withdrawn);
		put_setting(line, n);
		break;
	case RIB_NOTICE_NO_UPDATE:
		log_text(line, "fault", "no-update");
		log_text(line, "action", RECORD_IT);
		break;
	default:
		log_text(line, "fault", bgp_fault_name(n->fault));
		if (n->fault_code != 0)
			log_text(line, "attribute",
				 bgp_attr_name(n->fault_code));
		log_text(line, "action",
			 n->fault == BGP_FAULT_NLRI ? SET_ADD_PATH : RECORD_IT);
	}
}

void peer_notice_log(struct log *log, struct log_bucket *bucket,
		     const struct rib_notice *n)
{
	const struct rib_table_info *t = n->table;
	struct log_line line;

	if (!log_begin_limited(log, bucket, sp_now(), lines[n->kind].level,
			       lines[n->kind].event, &line))
		return;
	log_address_port(&line, "from", t->router->address, t->router->port);
	if (t->router->name != NULL)
		log_text(&line, "router", t->router->name);
	log_address(&line, "peer", t->peer_address);
	log_u64(&line, "as", t->peer_as);
	log_text(&line, "view", filter_view_name((enum bmp_view)t->view));
	if (t->family != BGP_FAMILY_UNKNOWN)
		log_text(&line, "family",
			 bgp_family_info((enum bgp_family)t->family)->name);
	put_action(&line, n);
	log_end(&line);
}
