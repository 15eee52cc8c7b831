/*
 * collector/checkpoint/log_loss.h - the stream lost what consumers had been given
 *
 * What waits to be published then belongs to tables that consumers do not have.
 * They are told to forget before it: the publisher sends these events first of
 * all. The tables follow behind what waits, each behind a resync of its own.
 *
 * Threads	Any that may wait and is not a fiber.
 */
#ifndef COLLECTOR_CHECKPOINT_LOG_LOSS_H
#define COLLECTOR_CHECKPOINT_LOG_LOSS_H

struct publisher_events;

/*
 * For publisher_options.resync; @env is a struct collector_env. Nothing happens
 * while the collector restores its state, which sees for itself, or stops.
 */
int log_loss_resync(void *env, struct publisher_events *events);

#endif
