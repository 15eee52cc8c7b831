/*
 * An update or event as one line of text:
 *
 *	12:34:56.789 192.0.2.1 AS64500 10.0.0.1 + 203.0.113.0/24 via 10.0.0.1 [64500 64501]
 */
#include "cli/tail.h"

#include "bmp/message.h"
#include "bmp/names.h"
#include "bmp/text.h"
#include "egress/subject.h"
#include "rib/event.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define ADDRESS_MAX 48

static void print_time(uint64_t ns)
{
	time_t seconds = (time_t)(ns / 1000000000u);
	char text[16];
	struct tm tm;

	localtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%H:%M:%S", &tm);
	printf("%s.%03u", text, (unsigned)(ns / 1000000u % 1000u));
}

static const char *address_text(const uint8_t *address, char buf[ADDRESS_MAX])
{
	struct text t = text_start(buf, ADDRESS_MAX);

	if (address == NULL)
		return "-";
	text_ip(&t, address);
	text_end(&t);
	return buf;
}

/*
 * Print text from a router, which must not control the terminal: unsafe
 * characters (text_is_unsafe()) and invalid UTF-8 become question marks.
 */
static void print_words(struct wire_view words)
{
	while (words.len > 0) {
		size_t len = text_utf8_len(words);
		uint32_t code;

		if (len == 0 || text_is_unsafe(words.p, len, &code))
			putchar('?');
		else
			fwrite(words.p, 1, len, stdout);
		len += len == 0;
		words.p += len;
		words.len -= len;
	}
}

static void print_who(uint64_t time_ns, const uint8_t *router,
		      struct wire_view name)
{
	char buf[ADDRESS_MAX];

	print_time(time_ns);
	putchar(' ');
	if (name.len > 0)
		print_words(name);
	else
		fputs(address_text(router, buf), stdout);
}

static void print_path(const struct egress_list *path)
{
	fputs(" [", stdout);
	for (uint32_t i = 0; i < path->count; i++)
		printf("%s%" PRIu32, i > 0 ? " " : "",
		       egress_list_u32(path, i));
	fputs("]", stdout);
}

void tail_text_update(const struct egress_update *u)
{
	char buf[ADDRESS_MAX];

	print_who(u->time_received_ns, u->router_addr, u->router_id);
	printf(" AS%" PRIu32, u->peer_asn);
	printf(" %s", address_text(u->peer_addr, buf));
	printf(" %c ", u->announced ? '+' : '-');
	if (u->nlri_text.len > 0)
		print_words(u->nlri_text);
	else
		printf("%s/%u", address_text(u->prefix_addr, buf),
		       u->prefix_len);
	if (u->has_path_id)
		printf(" path %" PRIu32, u->path_id);
	if (u->announced) {
		printf(" via %s", address_text(u->next_hop, buf));
		print_path(&u->as_path);
	}
	if (u->synthetic)
		fputs(" (synthetic)", stdout);
	putchar('\n');
}

/* Print why a peer is down: the reason, and the error in its NOTIFICATION. */
static void print_down(const struct egress_event *e)
{
	struct wire_cursor c = wire_start(e->notification);
	struct bgp_pdu pdu;

	printf(": %s", bmp_down_reason_name(e->reason));
	if (e->reason == BMP_DOWN_LOCAL_FSM && e->fsm_event != 0)
		printf(" %s", bgp_fsm_event_name(e->fsm_event));
	if (!bgp_pdu_take(&c, &pdu) || pdu.body.len < 2)
		return;
	printf(" %s %s", bgp_error_name(pdu.body.p[0]),
	       bgp_error_subcode_name(pdu.body.p[0], pdu.body.p[1]));
}

void tail_text_event(const struct egress_event *e)
{
	char buf[ADDRESS_MAX];

	print_who(e->time_received_ns, e->router_addr, e->router_id);
	if (e->has_peer) {
		printf(" AS%" PRIu32, e->peer_asn);
		printf(" %s", address_text(e->peer_addr, buf));
	}
	if (e->kind < RIB_EVENTS)
		printf(" * %s", subject_event_kind(e->kind));
	else
		printf(" * %u", e->kind);
	if (e->has_table)
		printf(" %u/%u", e->afi, e->safi);
	if (e->kind == RIB_EVENT_PEER_DOWN)
		print_down(e);
	if (e->kind == RIB_EVENT_EPOCH) {
		fputs(" of ", stdout);
		print_words(e->collector);
	}
	if (e->text.len > 0)
		fputs(": ", stdout);
	print_words(e->text);
	putchar('\n');
}
