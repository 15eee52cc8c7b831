/*
 * spargio/spargio.h - all of the runtime
 *
 * Instead each header can be included alone; docs/runtime.md describes them.
 */
#ifndef SPARGIO_SPARGIO_H
#define SPARGIO_SPARGIO_H

#include <spargio/accept_loop.h>
#include <spargio/address.h>
#include <spargio/channel.h>
#include <spargio/datagram.h>
#include <spargio/dir.h>
#include <spargio/fiber.h>
#include <spargio/file.h>
#include <spargio/frame.h>
#include <spargio/group.h>
#include <spargio/message.h>
#include <spargio/net.h>
#include <spargio/op.h>
#include <spargio/options.h>
#include <spargio/path.h>
#include <spargio/placement.h>
#include <spargio/pool.h>
#include <spargio/probe.h>
#include <spargio/process.h>
#include <spargio/reader.h>
#include <spargio/resolve.h>
#include <spargio/rpc.h>
#include <spargio/rstream.h>
#include <spargio/runtime.h>
#include <spargio/select.h>
#include <spargio/signal.h>
#include <spargio/sim.h>
#include <spargio/socket.h>
#include <spargio/spsc.h>
#include <spargio/stats.h>
#include <spargio/stream.h>
#include <spargio/sync.h>
#include <spargio/time.h>
#include <spargio/version.h>
#include <spargio/waiters.h>
#include <spargio/writer.h>

#endif
