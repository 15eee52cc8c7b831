/*
 * collector/checkpoint/log_loss.h - resync consumers after the stream lost
 * messages
 *
 * After a loss, consumers do not have the tables that the batches waiting to be
 * published change. So the publisher first sends the resync events of this
 * module. After the waiting batches each table is published again, with another
 * resync event. Before the first of them is sent, a manifest is written that
 * says that no file is valid: see manifest.h.
 *
 * Threads	Any thread that may block and is not a fiber.
 */
#ifndef COLLECTOR_CHECKPOINT_LOG_LOSS_H
#define COLLECTOR_CHECKPOINT_LOG_LOSS_H

struct publisher_events;

/*
 * The function for publisher_options.resync; @env is a struct collector_env.
 * While the collector stops, it only writes the manifest: the next run sends
 * the resyncs. While the collector restores its state, it does nothing, because
 * the restore itself checks for losses.
 */
int log_loss_resync(void *env, struct publisher_events *events);

#endif
