/*
 * collector/base/sd_notify.h - report our state to the service manager
 *
 *	READY=1			listening, restored
 *	STATUS=...		one line for "systemctl status"
 *	WATCHDOG=1		alive; every half of the watchdog's time
 *	RELOADING=1, STOPPING=1
 *
 * Implements the protocol of sd_notify(3): a datagram of lines to the socket
 * that NOTIFY_SOCKET names. Without the variable every call does nothing and
 * succeeds.
 *
 * Threads	Any, after sd_notify_open().
 * Blocking	No call waits: if the manager does not read, the message is lost
 *		(-EAGAIN).
 */
#ifndef COLLECTOR_BASE_SD_NOTIFY_H
#define COLLECTOR_BASE_SD_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>

struct sd_notify {
	int fd; /* -1 if NOTIFY_SOCKET is not set */
	/* interval of sd_notify_alive(); 0 = no watchdog */
	int64_t watchdog_ns;
};

/*
 * Open the socket. @socket_path and the two watchdog texts are the values of
 * NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID; NULL if unset. Returns 0, or
 * -errno if there is no socket; every other call then does nothing.
 */
int sd_notify_open(struct sd_notify *n, const char *socket_path,
		   const char *watchdog_usec, const char *watchdog_pid);
void sd_notify_close(struct sd_notify *n);

int sd_notify_ready(const struct sd_notify *n);
int sd_notify_alive(const struct sd_notify *n);
/* Report that a reload has begun; sd_notify_ready() reports that it is done. */
int sd_notify_reloading(const struct sd_notify *n, int64_t now_ns);
int sd_notify_stopping(const struct sd_notify *n);
/*
 * Report @text as the status. Its control characters become blanks; it is
 * truncated at a few hundred bytes.
 */
int sd_notify_status(const struct sd_notify *n, const char *text);

#endif
