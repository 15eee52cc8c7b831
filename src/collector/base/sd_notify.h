/*
 * collector/base/sd_notify.h - tell the service manager how we are
 *
 *	READY=1			listening, restored
 *	STATUS=...		one line for "systemctl status"
 *	WATCHDOG=1		alive; every half of the watchdog's time
 *	RELOADING=1, STOPPING=1
 *
 * The protocol of sd_notify(3), spoken directly: a datagram of lines to the
 * socket that NOTIFY_SOCKET names. Without the variable every call does
 * nothing and succeeds, so that callers need not ask.
 *
 * Threads	Any, after notify_open().
 * Blocking	Nothing waits: a manager that does not read loses the message
 *		(-EAGAIN), and gets the next.
 */
#ifndef COLLECTOR_BASE_SD_NOTIFY_H
#define COLLECTOR_BASE_SD_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>

struct notify {
	int fd;		     /* -1: nobody wants to know */
	int64_t watchdog_ns; /* send notify_alive() this often; 0: not wanted */
};

/*
 * @socket_path and the two watchdog texts are what NOTIFY_SOCKET,
 * WATCHDOG_USEC and WATCHDOG_PID say, NULL where unset. 0 or -errno of the
 * socket; then the result is as if nobody wants to know.
 */
int notify_open(struct notify *n, const char *socket_path,
		const char *watchdog_usec, const char *watchdog_pid);
void notify_close(struct notify *n);

int notify_ready(const struct notify *n);
int notify_alive(const struct notify *n);
/* Followed by notify_ready() when the reload is done. */
int notify_reloading(const struct notify *n, int64_t now_ns);
int notify_stopping(const struct notify *n);
/* @text: control characters become blanks; cut at a few hundred bytes. */
int notify_status(const struct notify *n, const char *text);

#endif
