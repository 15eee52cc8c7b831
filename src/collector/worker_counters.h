/*
 * collector/worker_counters.h - counters of a worker: one line each
 *
 *	X(member, COUNTER or GAUGE, metric, help)
 *
 * A line is a member of a struct of worker_state.h, an unsigned number of 64
 * bits, and a row of telemetry/metrics_workers.c. A new counter is a line here,
 * its increment, and a line of the table in docs/http.md.
 */
#ifndef COLLECTOR_WORKER_COUNTERS_H
#define COLLECTOR_WORKER_COUNTERS_H

/* clang-format off */
/* Members of struct session_counts: totals over all sessions of a worker. */
#define SESSION_COUNTERS(X) \
	X(bytes, COUNTER, "arancini_received_bytes_total", \
	  "Bytes of BMP messages received.") \
	X(before_initiation, COUNTER, "arancini_messages_before_initiation_total", \
	  "BMP messages that came before an Initiation.") \
	X(dropped, COUNTER, "arancini_messages_dropped_total", \
	  "Route Monitoring and Statistics messages dropped under overload.") \
	X(pauses, COUNTER, "arancini_session_pauses_total", \
	  "Times a session was not read because the output did not keep up.") \
	X(rate_pauses, COUNTER, "arancini_session_rate_pauses_total", \
	  "Times a session was not read because its router was above --max-output-rate.") \
	X(cut, COUNTER, "arancini_session_turns_cut_total", \
	  "Times a session gave its worker to others before it had read what had come.") \
	X(turn_bytes_max, GAUGE, "arancini_session_turn_output_max_bytes", \
	  "Most bytes of output that a session made before others had their turn.") \
	X(turn_routes_max, GAUGE, "arancini_session_turn_max_routes", \
	  "Most routes that a session applied before others had their turn.") \
	X(lost, COUNTER, "arancini_router_messages_lost_total", \
	  "Messages that routers did not send, by gaps in the sequence numbers of BMP version 4.") \
	X(mirrors_too_long, COUNTER, "arancini_mirroring_too_long_total", \
	  "Messages of Route Mirroring above 128 KiB, which are not published.") \
	X(names_cut, COUNTER, "arancini_sysnames_cut_total", \
	  "sysNames of more than 255 bytes, of which the first are kept.") \
	X(statistics_left_out, COUNTER, "arancini_statistics_not_compared_total", \
	  "Route counts of Statistics Reports beyond the first ones of each, which are not compared.")

/* Members of struct worker_counts. */
#define WORKER_COUNTERS(X) \
	X(accepted, COUNTER, "arancini_connections_accepted_total", \
	  "Connections of routers, refused ones included.") \
	X(clashes, COUNTER, "arancini_router_clashes_total", \
	  "Connections refused because they claimed to be a router that is another.") \
	X(routers_forgotten, COUNTER, "arancini_routers_forgotten_total", \
	  "Routers without session and routes that were forgotten because of --max-routers.") \
	X(handed_over, COUNTER, "arancini_connections_handed_over_total", \
	  "Connections given to the worker that owns the router.") \
	X(ownership_violations, COUNTER, "arancini_ownership_violations_total", \
	  "Sessions at a worker that does not own the router: a bug.") \
	X(no_memory, COUNTER, "arancini_messages_oom_total", \
	  "BMP messages that could not be kept for want of memory.")
/* clang-format on */

#define COUNTER_MEMBER(member, type, name, help) uint64_t member;

#endif
