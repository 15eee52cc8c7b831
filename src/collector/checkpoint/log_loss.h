/*
 * collector/checkpoint/log_loss.h - resync consumers after the stream lost
 * messages
 *
 * The batches that wait to be published change tables, and after a loss
 * consumers may not have these tables. So the publisher first sends the resync
 * events of this module, then the waiting batches. After them each table is
 * published again, with another resync event.
 *
 * Threads	Any thread that may block and is not a fiber.
 */
#ifndef COLLECTOR_CHECKPOINT_LOG_LOSS_H
#define COLLECTOR_CHECKPOINT_LOG_LOSS_H

struct publisher_events;

/*
 * The function for publisher_options.resync; @env is a struct collector_env.
 * Does nothing while the collector stops. Does nothing while it restores its
 * state, either, because the restore itself checks for losses.
 */
int log_loss_resync(void *env, struct publisher_events *events);

#endif
