#include "collector/router/stats_report.h"

#include "bmp/message.h"
#include "rib/read.h"

#include "bmp/stats.h"

static bool by_family(uint8_t type)
{
	return type == STATS_REPORT_ADJ_RIB_IN_FAMILY ||
	       type == STATS_REPORT_LOC_RIB_FAMILY;
}

/* The view whose routes a statistics type counts. */
static uint8_t view_of(uint8_t type)
{
	return type == STATS_REPORT_LOC_RIB ||
			       type == STATS_REPORT_LOC_RIB_FAMILY
		       ? BMP_VIEW_LOC_RIB
		       : BMP_VIEW_IN_PRE;
}

/* True if @row counts the routes of the table. */
static bool row_covers(const struct stats_report_row *row,
		       const struct rib_table_info *info)
{
	return info->view == view_of(row->type) &&
	       (!by_family(row->type) ||
		(info->afi == row->afi && info->safi == row->safi));
}

/* Set our count for @row. Returns the number of tables that it includes. */
static unsigned count_ours(struct stats_report_row *row,
			   const struct rib_peer *peer)
{
	struct rib_table *t = NULL;
	unsigned tables = 0;

	row->ours = 0;
	while ((t = rib_table_next(peer, t)) != NULL) {
		struct rib_table_state state;

		if (!row_covers(row, rib_table_info(t)))
			continue;
		rib_table_state(t, &state);
		row->ours += state.routes;
		tables++;
	}
	return tables;
}

bool stats_report_read(const struct bmp_message *msg, struct rib_peer *peer,
		       uint64_t at_ns, struct stats_report *out)
{
	struct bmp_stat_iter it = bmp_stat_start(msg);
	struct rib_peer_state state;
	struct bmp_stat stat;
	uint32_t looks = 0;

	*out = (struct stats_report){ .at_ns = at_ns };
	/*
	 * The routes of a peer that is down are being withdrawn, and no later
	 * report would correct the difference.
	 */
	rib_peer_state(peer, &state);
	if (!state.up)
		return false;
	while (bmp_stat_next(&it, &stat)) {
		struct stats_report_row *row;

		if (stat.type < STATS_REPORT_ADJ_RIB_IN ||
		    stat.type > STATS_REPORT_LOC_RIB_FAMILY || stat.unexpected)
			continue;
		if (looks == STATS_REPORT_LOOKS ||
		    out->count == STATS_REPORT_ROWS) {
			out->left_out++;
			continue;
		}
		looks++;
		row = &out->rows[out->count];
		*row = (struct stats_report_row){
			.type = (uint8_t)stat.type,
			.afi = stat.afi,
			.safi = stat.safi,
			.value = stat.value,
		};
		if (count_ours(row, peer) > 0)
			out->count++;
	}
	return out->count > 0;
}

/* True if the report has counts per family for @view. */
static bool has_families(const struct stats_report *r, uint8_t view)
{
	for (uint32_t i = 0; i < r->count; i++)
		if (by_family(r->rows[i].type) &&
		    view_of(r->rows[i].type) == view)
			return true;
	return false;
}

/*
 * A router may report any 64-bit number. A very large difference only shows
 * that the report is wrong, so it is clamped, which keeps sums from
 * overflowing.
 */
#define DIFFERENCE_MAX (INT64_C(1) << 40)

static int64_t row_difference(const struct stats_report_row *row)
{
	bool more = row->ours > row->value;
	uint64_t off = more ? row->ours - row->value : row->value - row->ours;
	int64_t cut =
		off < (uint64_t)DIFFERENCE_MAX ? (int64_t)off : DIFFERENCE_MAX;

	return more ? cut : -cut;
}

int64_t stats_report_difference(const struct stats_report *r)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < r->count; i++) {
		const struct stats_report_row *row = &r->rows[i];

		if (!by_family(row->type) &&
		    has_families(r, view_of(row->type)))
			continue;
		sum += row_difference(row);
	}
	return sum;
}

const struct stats_report_row *stats_report_find(const struct stats_report *r,
						 const struct rib_peer *peer,
						 const struct rib_table *table)
{
	const struct stats_report_row *sum = NULL;
	struct stats_report_row again;

	for (uint32_t i = 0; i < r->count; i++) {
		const struct stats_report_row *row = &r->rows[i];

		if (!row_covers(row, rib_table_info(table)))
			continue;
		if (by_family(row->type))
			return row;
		sum = row;
	}
	if (sum == NULL)
		return NULL;
	/*
	 * A count for all families is the count of this table only if the peer
	 * has no other table of the view.
	 */
	again = *sum;
	return count_ours(&again, peer) == 1 ? sum : NULL;
}
