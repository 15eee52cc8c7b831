#include "collector/http/connections.h"

#include "collector/base/ip.h"
#include "bmp/bytes.h"

#include <spargio/time.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>

struct http_connection {
	TAILQ_ENTRY(http_connection) link;
	struct http_connections *list;
	int fd;
	bool reserved;
	uint8_t address[16]; /* address of the client; for IPv6 its /64 */
	enum http_connection_state state;
	int64_t since; /* time when the connection entered its current state */
};

TAILQ_HEAD(http_connection_list, http_connection);

struct http_connections {
	struct http_connection_limits limits;
	/* protects the members below and all connections */
	pthread_mutex_t lock;
	struct http_connection_list open;
	struct http_connection_stats stats;
};

struct http_connections *http_connections_new(
	const struct http_connection_limits *limits)
{
	struct http_connections *list = calloc(1, sizeof(*list));

	if (list == NULL)
		return NULL;
	list->limits = *limits;
	pthread_mutex_init(&list->lock, NULL);
	TAILQ_INIT(&list->open);
	return list;
}

void http_connections_free(struct http_connections *list)
{
	if (list == NULL)
		return;
	pthread_mutex_destroy(&list->lock);
	free(list);
}

/*
 * Shut the connection down. The descriptor stays open: libmicrohttpd closes it
 * when it sees the end of the stream.
 */
static void connection_end(struct http_connection *connection)
{
	connection->state = HTTP_CONNECTION_ENDING;
	shutdown(connection->fd, SHUT_RDWR);
}

/* The numbers of occupied slots, in total and for one address. */
struct places {
	size_t all;
	size_t of_address;
	size_t reserved;
	/* the connection that has been READING for the longest time */
	struct http_connection *oldest;
	/* the oldest READING connection of this address */
	struct http_connection *oldest_of_address;
	/* the oldest reserved connection, in any state */
	struct http_connection *oldest_reserved;
};

static void take_older(struct http_connection **oldest,
		       struct http_connection *connection)
{
	if (*oldest == NULL || connection->since < (*oldest)->since)
		*oldest = connection;
}

static struct places count_places(struct http_connections *list,
				  const uint8_t address[16])
{
	struct places p = { 0 };
	struct http_connection *c;

	TAILQ_FOREACH (c, &list->open, link) {
		bool same = memcmp(c->address, address, 16) == 0;
		bool reading = c->state == HTTP_CONNECTION_READING;

		if (c->state == HTTP_CONNECTION_ENDING)
			continue;
		if (c->reserved) {
			p.reserved++;
			take_older(&p.oldest_reserved, c);
			continue;
		}
		p.all++;
		p.of_address += same;
		if (reading)
			take_older(&p.oldest, c);
		if (reading && same)
			take_older(&p.oldest_of_address, c);
	}
	return p;
}

/*
 * Evict a connection if there is no slot for @connection, which is not in the
 * list yet; or mark @connection as reserved: see connections.h.
 */
static void make_room(struct http_connections *list,
		      struct http_connection *connection)
{
	struct places p = count_places(list, connection->address);
	struct http_connection *victim;

	if (p.of_address >= list->limits.per_address)
		victim = p.oldest_of_address;
	else if (p.all >= list->limits.all)
		victim = p.oldest;
	else
		return;
	if (victim == NULL) {
		connection->reserved = true;
		if (p.reserved < list->limits.reserved)
			return;
		victim = p.oldest_reserved;
	}
	if (victim == NULL)
		return;
	list->stats.evicted++;
	connection_end(victim);
}

struct http_connection *http_connection_open(struct http_connections *list,
					     int fd,
					     const struct sockaddr *peer,
					     int64_t now)
{
	struct http_connection *connection = calloc(1, sizeof(*connection));

	if (connection == NULL)
		return NULL;
	connection->list = list;
	connection->fd = fd;
	connection->since = now;
	ip_from_sockaddr(peer, connection->address);
	if (!wire_is_mapped(connection->address))
		memset(connection->address + 8, 0, 8);
	pthread_mutex_lock(&list->lock);
	make_room(list, connection);
	TAILQ_INSERT_TAIL(&list->open, connection, link);
	list->stats.opened++;
	list->stats.open++;
	pthread_mutex_unlock(&list->lock);
	return connection;
}

void http_connection_close(struct http_connection *connection)
{
	struct http_connections *list;

	if (connection == NULL)
		return;
	list = connection->list;
	pthread_mutex_lock(&list->lock);
	TAILQ_REMOVE(&list->open, connection, link);
	list->stats.open--;
	pthread_mutex_unlock(&list->lock);
	free(connection);
}

void http_connection_set_state(struct http_connection *connection,
			       enum http_connection_state state, int64_t now)
{
	struct http_connections *list = connection->list;

	pthread_mutex_lock(&list->lock);
	if (connection->state != HTTP_CONNECTION_ENDING) {
		connection->state = state;
		connection->since = now;
	}
	pthread_mutex_unlock(&list->lock);
}

bool http_connection_is_reserved(const struct http_connection *connection)
{
	return connection->reserved;
}

static bool is_expired(const struct http_connection *connection, int64_t now)
{
	int64_t age = now - connection->since;

	switch (connection->state) {
	case HTTP_CONNECTION_READING:
		return age > HTTP_READ_SECONDS * SP_S;
	case HTTP_CONNECTION_SENDING:
		return age > HTTP_SEND_SECONDS * SP_S;
	case HTTP_CONNECTION_WORKING:
	case HTTP_CONNECTION_STREAMING:
	case HTTP_CONNECTION_ENDING:
		break;
	}
	return false;
}

void http_connections_expire(struct http_connections *list, int64_t now)
{
	struct http_connection *c;

	pthread_mutex_lock(&list->lock);
	TAILQ_FOREACH (c, &list->open, link) {
		if (!is_expired(c, now))
			continue;
		list->stats.expired++;
		connection_end(c);
	}
	pthread_mutex_unlock(&list->lock);
}

void http_connections_stats(struct http_connections *list,
			    struct http_connection_stats *out)
{
	pthread_mutex_lock(&list->lock);
	*out = list->stats;
	pthread_mutex_unlock(&list->lock);
}
