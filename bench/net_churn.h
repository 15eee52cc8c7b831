/*
 * bench/net_churn.h - connections that live for one exchange
 *
 * An iteration makes 256 connections to a server in the same runtime, sends
 * 256 bytes through each, gets them back and resets it (a port that lingers in
 * TIME_WAIT could not be used again). Eight fibers make them, one of them 144,
 * the others 16 each; the server gives them to its shards in turn.
 */
#ifndef BENCH_NET_CHURN_H
#define BENCH_NET_CHURN_H

#include <stdbool.h>
#include <stdint.h>

struct sp_rt;

/* Start the server; it ends with the runtime. */
void net_churn_serve(struct sp_rt *rt);

/* In a fiber. @many: sixteen connections at a time, instead of one. */
void net_churn(uint64_t iterations, bool many);

#endif
