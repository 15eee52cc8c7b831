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
 * Threads	Any, after sd_notify_open().
 * Blocking	Nothing waits: a manager that does not read loses the message
 *		(-EAGAIN), and gets the next.
 */
#ifndef COLLECTOR_BASE_SD_NOTIFY_H
#define COLLECTOR_BASE_SD_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>

struct sd_notify {
	int fd;		     /* -1: nobody wants to know */
	int64_t watchdog_ns; /* send sd_notify_alive() this often; 0: not wanted */
};

/*
 * @socket_path and the two watchdog texts are what NOTIFY_SOCKET,
 * WATCHDOG_USEC and WATCHDOG_PID say, NULL where unset. 0 or -errno of the
 * socket; then the result is as if nobody wants to know.
 */
int sd_notify_open(struct sd_notify *n, const char *socket_path,
		   const char *watchdog_usec, const char *watchdog_pid);
void sd_notify_close(struct sd_notify *n);

int sd_notify_ready(const struct sd_notify *n);
int sd_notify_alive(const struct sd_notify *n);
/* Followed by sd_notify_ready() when the reload is done. */
int sd_notify_reloading(const struct sd_notify *n, int64_t now_ns);
int sd_notify_stopping(const struct sd_notify *n);
/* @text: control characters become blanks; cut at a few hundred bytes. */
int sd_notify_status(const struct sd_notify *n, const char *text);

#endif
