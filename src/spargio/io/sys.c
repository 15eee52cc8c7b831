#include "spargio/io/sys.h"

#include <fcntl.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <unistd.h>

static int sys_fcntl(int fd, int command, int value)
{
	return fcntl(fd, command, value);
}

static int sys_unread(int fd, int *bytes)
{
	return ioctl(fd, SIOCINQ, bytes);
}

const struct sp__sys sp__sys_real = {
	.socket = socket,
	.bind = bind,
	.listen = listen,
	.connect = connect,
	.setsockopt = setsockopt,
	.getsockopt = getsockopt,
	.getsockname = getsockname,
	.getpeername = getpeername,
	.shutdown = shutdown,
	.recv = recv,
	.poll = poll,
	.fstat = fstat,
	.close = close,
	.fcntl = sys_fcntl,
	.unread = sys_unread,
	.getrandom = getrandom,
	.sqe_try = sp__sqe_try,
};

const struct sp__sys *_Atomic sp__sys_table = &sp__sys_real;
