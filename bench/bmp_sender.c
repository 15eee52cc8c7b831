#include "bmp_sender.h"

#include "bench.h"

#include "load/router.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PIECE  (256u << 10)
#define ROOM   (UINT64_C(1) << 31)
#define SECOND UINT64_C(1000000000)

enum command {
	COMMAND_TABLE,
	COMMAND_PREPARE,
	COMMAND_GO,
	COMMAND_PACE,
};

struct order {
	enum command command;
	uint64_t number;
	uint64_t ticks;
};

/* The child. */
struct sender {
	struct load_table *table;
	struct load_router *router;
	struct sockaddr_in from;
	int orders;
	int fd;
	uint8_t *bytes;
	size_t len;
	uint64_t *sent;
	uint64_t tick; /* the last */
};

static void send_all(int fd, const uint8_t *p, size_t len)
{
	while (len > 0) {
		size_t piece = len < PIECE ? len : PIECE;
		ssize_t n = send(fd, p, piece, MSG_NOSIGNAL);

		bench_must(n > 0, "sending to the collector");
		p += n;
		len -= (size_t)n;
	}
}

static void dial(struct sender *s, uint16_t port)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_addr = { htonl(INADDR_LOOPBACK) },
				  .sin_port = htons(port) };
	int one = 1;

	s->fd = socket(AF_INET, SOCK_STREAM, 0);
	bench_must(s->fd >= 0 &&
			   bind(s->fd, (struct sockaddr *)&s->from,
				sizeof(s->from)) == 0 &&
			   connect(s->fd, (struct sockaddr *)&to, sizeof(to)) ==
				   0,
		   "connecting to the collector");
	setsockopt(s->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
}

static uint64_t send_table(struct sender *s, uint16_t port)
{
	size_t n;

	dial(s, port);
	while ((n = load_router_fill(s->router, 0, s->bytes, PIECE)) > 0)
		send_all(s->fd, s->bytes, n);
	return load_router_counts(s->router)->announced;
}

static uint64_t prepare(struct sender *s, uint64_t updates)
{
	uint64_t before = load_router_churned(s->router);

	s->len = load_router_fill(s->router, before + updates, s->bytes, ROOM);
	return load_router_churned(s->router) - before;
}

/* One piece a tick; a tick that was missed is made up for at once. */
static uint64_t pace(struct sender *s, uint64_t rate, uint64_t ticks)
{
	uint64_t first = load_router_churned(s->router);
	uint64_t start = bench_now_ns();

	for (uint64_t i = 1; i <= ticks; i++) {
		uint64_t at = start + i * SOURCE_TICK_NS;
		struct timespec t = { (time_t)(at / SECOND),
				      (long)(at % SECOND) };

		s->tick++;
		bench_must(s->tick < SOURCE_TICKS_MAX, "room for a tick");
		load_router_time(s->router, s->tick * SECOND);
		s->len = load_router_fill(s->router,
					  first + i * SOURCE_TICK_NS * rate /
							  SECOND,
					  s->bytes, PIECE);
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
		s->sent[s->tick] = bench_now_ns();
		send_all(s->fd, s->bytes, s->len);
	}
	return load_router_churned(s->router) - first;
}

static uint64_t obey(struct sender *s, const struct order *o)
{
	switch (o->command) {
	case COMMAND_TABLE:
		return send_table(s, (uint16_t)o->number);
	case COMMAND_PREPARE:
		return prepare(s, o->number);
	case COMMAND_GO:
		send_all(s->fd, s->bytes, s->len);
		/* There are several of us: keep no more than is in use. */
		madvise(s->bytes, ROOM, MADV_DONTNEED);
		return 0;
	case COMMAND_PACE:
		return pace(s, o->number, o->ticks);
	}
	return 0;
}

static _Noreturn void serve(struct sender *s, const struct load_plan *plan)
{
	struct order o;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	bench_must(load_table_new(plan, &s->table) == 0 &&
			   load_router_new(s->table, 0, &s->router) == 0,
		   "memory for a table");
	s->bytes = mmap(NULL, ROOM, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	bench_must(s->bytes != MAP_FAILED, "memory for updates");
	while (read(s->orders, &o, sizeof(o)) == sizeof(o)) {
		uint64_t answer = obey(s, &o);

		if (write(s->orders, &answer, sizeof(answer)) < 0)
			break;
	}
	_exit(0);
}

static void pin(int cpu)
{
	cpu_set_t set;

	if (cpu < 0)
		return;
	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	/* Where there is no such CPU, anywhere. */
	(void)sched_setaffinity(0, sizeof(set), &set);
}

void source_start(struct source *s, const struct load_plan *plan, int cpu,
		  uint8_t last)
{
	struct sender sender = {
		.from = { .sin_family = AF_INET,
			  .sin_addr = { htonl(0x7f010000u | last) } },
	};
	int both[2];
	pid_t pid;

	sender.sent = mmap(NULL, SOURCE_TICKS_MAX * sizeof(*sender.sent),
			   PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	bench_must(sender.sent != MAP_FAILED, "memory for ticks");
	bench_must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both) ==
			   0,
		   "a pair of sockets");
	pid = fork();
	bench_must(pid >= 0, "fork");
	if (pid == 0) {
		close(both[0]);
		sender.orders = both[1];
		pin(cpu);
		serve(&sender, plan);
	}
	close(both[1]);
	*s = (struct source){ .pid = pid, .fd = both[0], .sent = sender.sent };
}

static void order(const struct source *s, struct order o)
{
	bench_must(write(s->fd, &o, sizeof(o)) == sizeof(o), "an order");
}

static uint64_t answer(const struct source *s)
{
	uint64_t number;
	ssize_t n;

	do
		n = read(s->fd, &number, sizeof(number));
	while (n < 0 && errno == EINTR);
	bench_must(n == sizeof(number), "an answer of the source");
	return number;
}

uint64_t source_table(const struct source *s, uint16_t port)
{
	order(s, (struct order){ .command = COMMAND_TABLE, .number = port });
	return answer(s);
}

uint64_t source_prepare(const struct source *s, uint64_t updates)
{
	order(s,
	      (struct order){ .command = COMMAND_PREPARE, .number = updates });
	return answer(s);
}

void source_go(const struct source *s)
{
	order(s, (struct order){ .command = COMMAND_GO });
}

void source_done(const struct source *s)
{
	(void)answer(s);
}

uint64_t source_pace(struct source *s, uint64_t rate, uint64_t ticks)
{
	order(s, (struct order){ .command = COMMAND_PACE,
				 .number = rate,
				 .ticks = ticks });
	s->ticks += ticks;
	return answer(s);
}

void source_end(struct source *s)
{
	close(s->fd);
	/* Sources made later hold its end of the pair, too. */
	kill(s->pid, SIGTERM);
	waitpid(s->pid, NULL, 0);
	munmap((void *)s->sent, SOURCE_TICKS_MAX * sizeof(*s->sent));
}
