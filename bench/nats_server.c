#include "nats_server.h"

#include "bench.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define SERVER "/usr/sbin/nats-server"

bool broker_exists(void)
{
	static bool said;

	if (access(SERVER, X_OK) == 0)
		return true;
	if (!said)
		fputs("bench: no nats-server here: JetStream left out\n",
		      stderr);
	said = true;
	return false;
}

/* Free a moment ago, which is as much as one can know. */
static int free_port(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	bench_must(fd >= 0 && bind(fd, (struct sockaddr *)&at, len) == 0 &&
			   getsockname(fd, (struct sockaddr *)&at, &len) == 0,
		   "a port for nats-server");
	close(fd);
	return ntohs(at.sin_port);
}

void broker_start(struct broker *s)
{
	static unsigned made;
	char port[16];
	int number = free_port();

	snprintf(s->dir, sizeof(s->dir), "/var/tmp/bench-js-%d-%u",
		 (int)getpid(), made++);
	snprintf(s->url, sizeof(s->url), "nats://127.0.0.1:%d", number);
	snprintf(port, sizeof(port), "%d", number);
	s->pid = fork();
	bench_must(s->pid >= 0, "fork");
	if (s->pid == 0) {
		/* It must not outlive a run that is killed. */
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		bench_must(freopen("/dev/null", "w", stderr) != NULL, "stderr");
		execl(SERVER, "nats-server", "-a", "127.0.0.1", "-p", port,
		      "-js", "-sd", s->dir, NULL);
		_exit(127);
	}
}

natsConnection *broker_connect(const struct broker *s)
{
	natsConnection *nc = NULL;

	for (int i = 0; i < 100; i++) {
		if (natsConnection_ConnectTo(&nc, s->url) == NATS_OK)
			return nc;
		usleep(50000);
	}
	bench_must(false, "nats-server does not answer");
	return NULL;
}

void broker_stop(struct broker *s)
{
	char command[BROKER_PATH + 16];

	kill(s->pid, SIGTERM);
	waitpid(s->pid, NULL, 0);
	snprintf(command, sizeof(command), "rm -rf %s", s->dir);
	if (system(command) != 0) /* NOLINT(cert-env33-c): our own folder */
		fprintf(stderr, "bench: %s stays behind\n", s->dir);
}

double broker_cpu(const struct broker *s)
{
	unsigned long user = 0;
	unsigned long sys = 0;
	char path[BROKER_PATH];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)s->pid);
	f = fopen(path, "r");
	if (f == NULL)
		return 0;
	/* NOLINTNEXTLINE(cert-err34-c): the kernel writes numbers */
	if (fscanf(f,
		   "%*d %*s %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu "
		   "%lu",
		   &user, &sys) != 2)
		user = sys = 0;
	fclose(f);
	return (double)(user + sys) / (double)sysconf(_SC_CLK_TCK);
}

void broker_add_stream(jsCtx *js, const char *name)
{
	const char *subjects[] = { "arancini.>" };
	jsStreamConfig config;

	jsStreamConfig_Init(&config);
	config.Name = name;
	config.Subjects = subjects;
	config.SubjectsLen = 1;
	bench_must(js_AddStream(NULL, js, &config, NULL, NULL) == NATS_OK,
		   "a stream");
}

void broker_drop_stream(const struct broker *s, const char *name)
{
	natsConnection *nc = broker_connect(s);
	jsCtx *js = NULL;

	bench_must(natsConnection_JetStream(&js, nc, NULL) == NATS_OK, "js");
	js_DeleteStream(js, name, NULL, NULL);
	jsCtx_Destroy(js);
	natsConnection_Destroy(nc);
}
