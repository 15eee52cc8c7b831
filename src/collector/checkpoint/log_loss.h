/*
 * collector/checkpoint/log_loss.h - resync consumers after the stream lost
 * messages
 *
 * After a loss, batches that wait to be published refer to tables that
 * consumers do not have. So the publisher first sends the resync events of this
 * module. Each table follows after the waiting batches, with a resync of its
 * own.
 *
 * Threads	Any thread that may block and is not a fiber.
 */
#ifndef COLLECTOR_CHECKPOINT_LOG_LOSS_H
#define COLLECTOR_CHECKPOINT_LOG_LOSS_H

struct publisher_events;

/*
 * For publisher_options.resync; @env is a struct collector_env. Does nothing
 * while the collector stops, or while it restores its state, because restore
 * checks for losses itself.
 */
int log_loss_resync(void *env, struct publisher_events *events);

#endif
