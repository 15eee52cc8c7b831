/*
 * collector/router/peer_notice.h - log problems with a peer's messages
 *
 * Writes one line for each cause (rib/event.h) and peer of a session, with
 * advice for the operator.
 */
#ifndef COLLECTOR_ROUTER_PEER_NOTICE_H
#define COLLECTOR_ROUTER_PEER_NOTICE_H

struct log;
struct log_bucket;
struct rib_notice;

/*
 * Log @notice. @bucket is the bucket of the router, which may have any number
 * of peers.
 */
void peer_notice_log(struct log *log, struct log_bucket *bucket,
		     const struct rib_notice *notice);

#endif
