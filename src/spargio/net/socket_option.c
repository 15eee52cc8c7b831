#include "spargio/io/sys.h"

#include <spargio/address.h>
#include <spargio/fiber.h>
#include <spargio/socket.h>

#include <errno.h>
#include <linux/tcp.h>
#include <string.h>

struct option {
	size_t field; /* offset in struct sp_tcp_opts */
	int level;
	int name;
};

#define FIELD(name) offsetof(struct sp_tcp_opts, name)

/* clang-format off */
static const struct option options[] = {
	{ FIELD(no_delay),	  IPPROTO_TCP, TCP_NODELAY },
	{ FIELD(keepalive_s),	  SOL_SOCKET,  SO_KEEPALIVE },
	{ FIELD(keepalive_s),	  IPPROTO_TCP, TCP_KEEPIDLE },
	{ FIELD(keepalive_every), IPPROTO_TCP, TCP_KEEPINTVL },
	{ FIELD(keepalive_count), IPPROTO_TCP, TCP_KEEPCNT },
	{ FIELD(user_timeout_ms), IPPROTO_TCP, TCP_USER_TIMEOUT },
	{ FIELD(send_buffer),	  SOL_SOCKET,  SO_SNDBUF },
	{ FIELD(recv_buffer),	  SOL_SOCKET,  SO_RCVBUF },
};
/* clang-format on */

static int set_option(int fd, const struct option *o, int value)
{
	/* TCP_NODELAY is a switch: on or off. */
	if (o->name == TCP_NODELAY && o->level == IPPROTO_TCP)
		value = value > 0;
	else if (value < 0)
		return -EINVAL;
	if (sp__sys()->setsockopt(fd, o->level, o->name, &value,
				  sizeof(value)) < 0)
		return -sp_errno();
	return 0;
}

int sp_tcp_set(int fd, const struct sp_tcp_opts *opts)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		int value, err;

		memcpy(&value, (const char *)opts + options[i].field,
		       sizeof(value));
		if (value == 0)
			continue;
		err = set_option(fd, &options[i], value);
		if (err < 0)
			return err;
	}
	return 0;
}

int64_t sp_tcp_heard_ms(int fd)
{
	struct tcp_info info;
	socklen_t len = sizeof(info);

	if (sp__sys()->getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) < 0)
		return -sp_errno();
	return info.tcpi_last_data_recv < info.tcpi_last_ack_recv
		       ? info.tcpi_last_data_recv
		       : info.tcpi_last_ack_recv;
}

int sp_tcp_md5(int fd, const struct sp_addr *peer, const void *key, size_t len)
{
	struct tcp_md5sig sig = { .tcpm_keylen = (uint16_t)len };
	struct sp_addr addr = *peer;

	if (len > sizeof(sig.tcpm_key) || addr.len > sizeof(sig.tcpm_addr))
		return -EINVAL;
	if (len > 0)
		memcpy(sig.tcpm_key, key, len);
	memcpy(&sig.tcpm_addr, &addr.any, addr.len);
	if (sp__sys()->setsockopt(fd, IPPROTO_TCP, TCP_MD5SIG, &sig,
				  sizeof(sig)) < 0)
		return -sp_errno();
	return 0;
}

int sp_unix_cred(int fd, struct sp_cred *out)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);

	if (sp__sys()->getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) < 0)
		return -sp_errno();
	*out = (struct sp_cred){ cred.pid, cred.uid, cred.gid };
	return 0;
}
