/*
 * The table of options. To add an option, add a row here and a member to struct
 * config; help, files, man pages and their tests are made from the table.
 */
#include "collector/config/options.h"

#include "collector/config/router_section.h"
#include "collector/config/text_check.h"
#include "collector/policy/output_rate.h"

#include <ctype.h>
#include <string.h>

#define AT(member) offsetof(struct config, member)

#define K (UINT64_C(1) << 10)
#define M (UINT64_C(1) << 20)
#define G (UINT64_C(1) << 30)
#define T (UINT64_C(1) << 40)

#define MS UINT64_C(1000000)
#define S  (1000 * MS)
#define H  (3600 * S)

/* Macros for struct config_form. */
/* clang-format off */
#define BOOL { .type = CONFIG_BOOL }
#define NUMBER(low, high) { .type = CONFIG_NUMBER, .min = (low), .max = (high) }
#define NUMBER_OR_0(low, high) { .type = CONFIG_NUMBER, .flags = CONFIG_ZERO, .min = (low), .max = (high) }
#define POWER(low, high) { .type = CONFIG_NUMBER, .flags = CONFIG_POWER, .min = (low), .max = (high) }
#define SIZE(low, high) { .type = CONFIG_SIZE, .min = (low), .max = (high) }
#define SIZE_OR_0(low, high) { .type = CONFIG_SIZE, .flags = CONFIG_ZERO, .min = (low), .max = (high) }
#define TIME(low, high) { .type = CONFIG_TIME, .min = (low), .max = (high) }
#define TIME_OR_NEVER(low, high) { .type = CONFIG_TIME, .flags = CONFIG_NEVER, .min = (low), .max = (high) }
#define CHOICE(list) { .type = CONFIG_CHOICE, .words = (list) }
#define TEXT(how) { .type = CONFIG_TEXT, .check = (how) }
#define TEXT_OR_NONE(how) { .type = CONFIG_TEXT, .flags = CONFIG_EMPTY, .check = (how) }
#define PATH_OR_NONE { .type = CONFIG_PATH, .flags = CONFIG_EMPTY }
#define LIST(of) { .type = (of), .flags = CONFIG_EMPTY }
#define TEXTS(how) { .type = CONFIG_TEXTS, .flags = CONFIG_EMPTY, .check = (how) }
#define SECRET { .type = CONFIG_SECRET, .flags = CONFIG_EMPTY }
#define ADDRESS_OR_OFF { .type = CONFIG_ADDRESS, .flags = CONFIG_OFF }
/* clang-format on */

#define RELOAD	true
#define RESTART false

static const char *const overload_words[] = { "block", "drop", NULL };
static const char *const router_id_words[] = { "address", "sysname", "bgp-id",
					       NULL };
static const char *const curation_words[] = { "attributes", "presence", "off",
					      NULL };
static const char *const compress_words[] = { "none", "packed", "zstd", NULL };
static const char *const storage_words[] = { "file", "memory", NULL };
/* In the order of enum sandbox_mode. */
static const char *const sandbox_words[] = { "off", "on", "require", NULL };
static const char *const level_words[] = { "error", "warning", "info", "debug",
					   NULL };
static const char *const format_words[] = { "text", "json", NULL };

const struct config_section config_sections[] = {
	{ "listen", "Listening",
	  "Where routers come in, and how their bytes are taken." },
	{ "identity", "Identity",
	  "How routers are told apart, and what this collector is called." },
	{ "access", "Access", "Who may open a session." },
	{ "limits", "Limits", "What one router, or all of them, may take." },
	{ "curation", "Curation",
	  "What is suppressed, swept and held; which tables are kept." },
	{ "egress", "Batches and subjects", "How updates are packed." },
	{ "nats", "JetStream",
	  "The stream that updates go to. Without a server the journal is the "
	  "output." },
	{ "journal", "Journal",
	  "The local log: the output without JetStream, the spool with it." },
	{ "snapshot", "State", "What is kept over a restart." },
	{ "http", "HTTP", "Metrics, health, queries and the dashboard." },
	{ "process", "Process",
	  "What the process may still do once it has started." },
	{ "log", "Log", "Lines on standard error." },
};

const size_t config_section_count =
	sizeof(config_sections) / sizeof(config_sections[0]);

/* clang-format off */
const struct config_option config_options[] = {
	/* flag, section, key, form, place, reload, default, value, help */

	{ "listen", "listen", "address", LIST(CONFIG_ADDRESSES),
	  AT(listen.addresses), RESTART, "0.0.0.0:4000,[::]:4000", "ADDRESS:PORT,...",
	  "addresses that routers connect to; an IPv6 one takes IPv6 only" },
	{ "connect", "listen", "connect", TEXTS(config_check_host_port),
	  AT(listen.connect), RESTART, "", "HOST:PORT,...",
	  "routers that wait for the collector to connect to them (RFC 7854 section 3.2)" },
	{ "workers", "listen", "workers", NUMBER_OR_0(1, 1024),
	  AT(listen.workers), RESTART, "0", "N",
	  "worker threads; 0 is one for each CPU that the process may use" },
	{ "backlog", "listen", "backlog", NUMBER(1, 65535),
	  AT(listen.backlog), RESTART, "4096", "N",
	  "connections that may wait to be accepted; net.core.somaxconn bounds it" },
	{ "rcvbuf", "listen", "rcvbuf", SIZE_OR_0(4 * K, 1 * G),
	  AT(listen.rcvbuf), RESTART, "0", "SIZE",
	  "receive buffer of a socket; 0 leaves it to the kernel's autotuning" },
	{ "recv-buffers", "listen", "recv-buffers", POWER(8, 32768),
	  AT(listen.recv_buffers), RESTART, "256", "N",
	  "buffers that each worker gives to the kernel to receive into" },
	{ "recv-buffer-size", "listen", "recv-buffer-size", SIZE(4 * K, 1 * M),
	  AT(listen.recv_buffer_size), RESTART, "16K", "SIZE",
	  "size of each of them" },
	{ "max-frame", "listen", "max-frame", SIZE(BMP_MAX_FRAME_FLOOR, 64 * M),
	  AT(listen.max_frame), RESTART, "1M", "SIZE",
	  "longest BMP message taken; a longer one ends its session" },
	{ "bmp-v4", "listen", "bmp-v4", CHOICE(config_bmp_v4_words),
	  AT(listen.bmp_v4), RESTART, "off", "off|tlv20|legacy|tlv21",
	  "which draft's numbers a router with BMP version 4 uses; also for each router" },
	{ "overload", "listen", "overload", CHOICE(overload_words),
	  AT(listen.overload), RESTART, "block", "block|drop",
	  "when the output does not keep up: stop reading, or drop updates, mark their tables and count" },
	{ "drain-timeout", "listen", "drain-timeout", TIME(0, 1 * H),
	  AT(listen.drain_timeout), RELOAD, "30s", "TIME",
	  "how long the end may take: reading what has come, until all is acknowledged" },

	{ "router-id", "identity", "router-id", CHOICE(router_id_words),
	  AT(identity.router_id), RESTART, "address", "address|sysname|bgp-id",
	  "what makes a router the same router; the last two are for routers behind NAT" },
	{ "collector-id", "identity", "collector-id", TEXT_OR_NONE(config_check_collector),
	  AT(identity.collector), RESTART, "", "NAME",
	  "name of this collector in messages, and for {collector}; without one the host name" },

	{ "allow", "access", "allow", LIST(CONFIG_NETWORKS),
	  AT(access.allow), RELOAD, "", "NETWORK,...",
	  "networks that may open sessions; none given: all" },
	{ "deny", "access", "deny", LIST(CONFIG_NETWORKS),
	  AT(access.deny), RELOAD, "", "NETWORK,...",
	  "networks that may not, even if they are allowed" },
	{ "proxy-protocol", "access", "proxy-protocol", LIST(CONFIG_NETWORKS),
	  AT(access.proxies), RELOAD, "", "NETWORK,...",
	  "load balancers whose connections begin with a PROXY header (version 1 or 2); the router's address is the one it names, also for --allow and --deny" },

	{ "max-sessions", "limits", "max-sessions", NUMBER(1, 1000000),
	  AT(limits.sessions), RELOAD, "20000", "N",
	  "sessions in all; when they are taken, the oldest one that has named no peer makes room" },
	{ "max-sessions-per-ip", "limits", "max-sessions-per-ip", NUMBER(1, 1000000),
	  AT(limits.sessions_per_ip), RELOAD, "16", "N",
	  "sessions from one address; of IPv6 from one /64, but for routers with a section" },
	{ "max-routers", "limits", "max-routers", NUMBER(1, 10000000),
	  AT(limits.routers), RELOAD, "40000", "N",
	  "number of routers that are kept: with a session, with routes, or gone and not forgotten yet; those that are gone and have no routes make room; no less than --max-sessions" },
	{ "handshake-timeout", "limits", "handshake-timeout", TIME_OR_NEVER(100 * MS, 24 * H),
	  AT(limits.handshake_timeout), RELOAD, "60s", "TIME",
	  "end a session that has not sent one whole message by then" },
	{ "idle-timeout", "limits", "idle-timeout", TIME_OR_NEVER(1 * S, 8760 * H),
	  AT(limits.idle_timeout), RELOAD, "never", "TIME",
	  "end a session that was silent for so long; BMP may be silent for hours" },
	{ "frame-timeout", "limits", "frame-timeout", TIME_OR_NEVER(100 * MS, 24 * H),
	  AT(limits.frame_timeout), RELOAD, "120s", "TIME",
	  "end a session that began a message and has not ended it by then; stands still while the collector does not read it" },
	{ "max-routes", "limits", "max-routes", NUMBER(0, UINT64_C(100000000000)),
	  AT(limits.routes), RELOAD, "0", "N",
	  "routes in all; beyond it new ones are refused and counted; 0 is no limit" },
	{ "max-routes-per-router", "limits", "max-routes-per-router", NUMBER(0, UINT64_C(100000000000)),
	  AT(limits.routes_per_router), RELOAD, "0", "N",
	  "the same for one router" },
	{ "max-routes-per-peer", "limits", "max-routes-per-peer", NUMBER(0, UINT64_C(100000000000)),
	  AT(limits.routes_per_peer), RELOAD, "0", "N",
	  "the same for one peer of a router" },
	{ "max-output-rate", "limits", "max-output-rate", SIZE_OR_0(OUTPUT_RATE_MIN, OUTPUT_RATE_MAX),
	  AT(limits.output_rate), RELOAD, "0", "SIZE",
	  "bytes of updates and events that one router may cause a second; above it that router is not read for a while, and nobody else waits; 0 is no limit" },

	{ "curation", "curation", "mode", CHOICE(curation_words),
	  AT(curation.mode), RESTART, "attributes", "attributes|presence|off",
	  "publish what differs, only what comes and goes, or everything as it arrives (nothing is stored then)" },
	{ "sweep-quiet", "curation", "sweep-quiet", TIME(1 * S, 24 * H),
	  AT(curation.sweep_quiet), RELOAD, "30s", "TIME",
	  "without an End-of-RIB, a table is whole once its router sent no route for so long" },
	{ "sweep-max", "curation", "sweep-max", TIME(1 * S, 24 * H),
	  AT(curation.sweep_max), RELOAD, "300s", "TIME",
	  "and at the latest so long after its first route" },
	{ "stale-hold", "curation", "stale-hold", TIME_OR_NEVER(0, 8760 * H),
	  AT(curation.stale_hold), RELOAD, "600s", "TIME",
	  "keep the routes of a lost session for so long before they are withdrawn; 0 is at once" },
	{ "filter", "curation", "filter", LIST(CONFIG_RULES),
	  AT(curation.filter), RELOAD, "", "RULE",
	  "what is stored and published, as 'drop view=post'; the first rule that fits decides, none: all is published" },

	{ "subject-updates", "egress", "subject-updates", TEXT(config_check_subject),
	  AT(egress.updates), RESTART, "arancini.updates", "PREFIX",
	  "what subjects of updates begin with; {collector} stands for the collector's id" },
	{ "subject-events", "egress", "subject-events", TEXT(config_check_subject),
	  AT(egress.events), RESTART, "arancini.events", "PREFIX",
	  "what subjects of events begin with" },
	{ "publish-mirroring", "egress", "publish-mirroring", BOOL,
	  AT(egress.mirroring), RESTART, "false", "",
	  "publish each Route Mirroring as it is, as an event of kind mirror" },
	{ "batch-max-bytes", "egress", "batch-max-bytes", SIZE(1 * K, 4 * M),
	  AT(egress.batch_bytes), RESTART, "32K", "SIZE",
	  "longest message published; the server's max_payload bounds it" },
	{ "batch-max-updates", "egress", "batch-max-updates", NUMBER_OR_0(1, 1000000),
	  AT(egress.batch_updates), RESTART, "0", "N",
	  "most updates in one message; 0 is as many as fit" },
	{ "batch-linger", "egress", "batch-linger", TIME(0, 1 * S),
	  AT(egress.batch_linger), RESTART, "10ms", "TIME",
	  "while a worker has more than 20000 updates a second, a message waits so long for more of them; 0 is never" },
	{ "batch-compress", "egress", "batch-compress", CHOICE(compress_words),
	  AT(egress.batch_compress), RESTART, "none", "none|packed|zstd",
	  "how messages are compressed; none is what every consumer can read" },
	{ "bridge-batches", "egress", "bridge-batches", POWER(16, 65536),
	  AT(egress.bridge_batches), RESTART, "1024", "N",
	  "messages of each worker that may wait for the publisher" },
	{ "discard", "egress", "discard", BOOL,
	  AT(egress.discard), RESTART, "false", "",
	  "publish nothing at all: to see what this host can take in" },

	{ "nats", "nats", "url", TEXTS(config_check_nats_url),
	  AT(nats.urls), RESTART, "", "URL,...",
	  "servers, as nats://host:4222" },
	{ "nats-stream", "nats", "stream", TEXT(config_check_stream),
	  AT(nats.stream), RESTART, "ARANCINI", "NAME",
	  "the stream; may contain {collector}" },
	{ "nats-no-create", "nats", "no-create", BOOL,
	  AT(nats.no_create), RESTART, "false", "",
	  "do not make the stream if it is missing" },
	{ "take-over", "nats", "take-over", BOOL,
	  AT(nats.take_over), RESTART, "false", "",
	  "write to the stream although another collector wrote to it last" },
	{ "nats-storage", "nats", "storage", CHOICE(storage_words),
	  AT(nats.storage), RESTART, "file", "file|memory",
	  "where a stream that is made here keeps its messages" },
	{ "nats-replicas", "nats", "replicas", NUMBER(1, 5),
	  AT(nats.replicas), RESTART, "1", "N",
	  "servers that each keep a copy of it" },
	{ "nats-max-age", "nats", "max-age", TIME_OR_NEVER(1 * S, 87600 * H),
	  AT(nats.max_age), RESTART, "24h", "TIME",
	  "how long it keeps messages" },
	{ "nats-max-bytes", "nats", "max-bytes", SIZE_OR_0(1 * M, 1024 * T),
	  AT(nats.max_bytes), RESTART, "32G", "SIZE",
	  "how much it keeps; 0 is no limit" },
	{ "nats-duplicate-window", "nats", "duplicate-window", TIME(1 * S, 24 * H),
	  AT(nats.duplicate_window), RESTART, "2m", "TIME",
	  "how long it remembers the ids of messages" },
	{ "nats-window", "nats", "window", NUMBER(1, 65536),
	  AT(nats.window), RESTART, "1024", "N",
	  "messages sent that may wait for their acknowledgement" },
	{ "nats-ack-timeout", "nats", "ack-timeout", TIME(100 * MS, 1 * H),
	  AT(nats.ack_timeout), RESTART, "5s", "TIME",
	  "after that without an acknowledgement, ask the stream where to go on" },
	{ "nats-inbox-prefix", "nats", "inbox-prefix", TEXT(config_check_inbox),
	  AT(nats.inbox_prefix), RESTART, "_ARANCINI", "SUBJECT",
	  "what the subjects of answers to the collector begin with" },
	{ "nats-domain", "nats", "domain", TEXT_OR_NONE(config_check_domain),
	  AT(nats.domain), RESTART, "", "NAME",
	  "domain of JetStream that has stream and state, if it is not the server's own (leaf nodes)" },
	{ "nats-user", "nats", "user", TEXT_OR_NONE(NULL),
	  AT(nats.user), RESTART, "", "NAME",
	  "user name" },
	{ "nats-password-file", "nats", "password-file", SECRET,
	  AT(nats.password), RESTART, "", "FILE",
	  "file with the user's password" },
	{ "nats-token-file", "nats", "token-file", SECRET,
	  AT(nats.token), RESTART, "", "FILE",
	  "file with a token" },
	{ "nats-creds", "nats", "creds", PATH_OR_NONE,
	  AT(nats.creds), RESTART, "", "FILE",
	  "credentials file (JWT and seed)" },
	{ "nats-nkey", "nats", "nkey", TEXT_OR_NONE(NULL),
	  AT(nats.nkey), RESTART, "", "KEY",
	  "public nkey, which begins with a U" },
	{ "nats-nkey-seed", "nats", "nkey-seed", PATH_OR_NONE,
	  AT(nats.nkey_seed), RESTART, "", "FILE",
	  "file with its seed" },
	{ "nats-tls", "nats", "tls", BOOL,
	  AT(nats.tls), RESTART, "false", "",
	  "insist on TLS; a URL that begins with tls:// does so, too" },
	{ "nats-tls-ca", "nats", "tls-ca", PATH_OR_NONE,
	  AT(nats.tls_ca), RESTART, "", "FILE",
	  "certificates of authorities to trust, instead of the system's" },
	{ "nats-tls-cert", "nats", "tls-cert", PATH_OR_NONE,
	  AT(nats.tls_cert), RESTART, "", "FILE",
	  "our own certificate" },
	{ "nats-tls-key", "nats", "tls-key", PATH_OR_NONE,
	  AT(nats.tls_key), RESTART, "", "FILE",
	  "and its key" },

	{ "journal", "journal", "directory", PATH_OR_NONE,
	  AT(journal.directory), RESTART, "", "DIR",
	  "folder of the journal; without one, 'journal' under --state" },
	{ "journal-sync-interval", "journal", "sync-interval", TIME(1 * MS, 1 * H),
	  AT(journal.sync_interval), RESTART, "100ms", "TIME",
	  "make sure that it is on disk this often" },
	{ "journal-sync-bytes", "journal", "sync-bytes", SIZE(4 * K, 1 * G),
	  AT(journal.sync_bytes), RESTART, "8M", "SIZE",
	  "or after so much was written" },
	{ "journal-segment-bytes", "journal", "segment-bytes", SIZE(1 * M, 512 * M),
	  AT(journal.segment_bytes), RESTART, "64M", "SIZE",
	  "size of each of its files" },
	{ "journal-max-bytes", "journal", "max-bytes", SIZE_OR_0(1 * M, 1024 * T),
	  AT(journal.max_bytes), RESTART, "10G", "SIZE",
	  "as the output: how much is kept; 0 is no limit" },
	{ "journal-max-age", "journal", "max-age", TIME_OR_NEVER(1 * S, 87600 * H),
	  AT(journal.max_age), RESTART, "never", "TIME",
	  "as the output: how long it is kept" },
	{ "spool-max", "journal", "spool-max", SIZE(1 * M, 1024 * T),
	  AT(journal.spool_max), RESTART, "10G", "SIZE",
	  "as the spool: when so much waits for the servers, routers wait, too" },
	{ "acked-tail", "journal", "acked-tail", SIZE_OR_0(1 * M, 1024 * T),
	  AT(journal.acked_tail), RESTART, "256M", "SIZE",
	  "of what the servers acknowledged, keep so much, compressed, to send it again if a power failure takes it from them; 0 is none" },

	{ "state", "snapshot", "state", TEXT(config_check_state),
	  AT(snapshot.state), RESTART, "./data", "DIR|URL",
	  "folder of the state, or nats://host:4222 to keep it in a key-value bucket" },
	{ "snapshot-interval", "snapshot", "interval", TIME(1 * S, 1 * H),
	  AT(snapshot.interval), RESTART, "10s", "TIME",
	  "how often the state is brought up to date" },
	{ "restore-wait", "snapshot", "restore-wait", TIME_OR_NEVER(0, 24 * H),
	  AT(snapshot.restore_wait), RESTART, "60s", "TIME",
	  "how long a start waits for the servers to say what they have; then the tables are published again" },

	{ "http", "http", "listen", ADDRESS_OR_OFF,
	  AT(http.listen), RESTART, "127.0.0.1:8080", "ADDRESS:PORT",
	  "where HTTP is served, or off" },
	{ "http-token-file", "http", "token-file", SECRET,
	  AT(http.token), RESTART, "", "FILE",
	  "file with the token that actions need, and everything but health beyond loopback; without one, the file http-token of a state folder is used, made if it is not there" },
	{ "metrics-per-peer", "http", "metrics-per-peer", BOOL,
	  AT(http.metrics_per_peer), RESTART, "false", "",
	  "metrics for each peer as well; there may be very many" },

	{ "user", "process", "user", TEXT_OR_NONE(NULL),
	  AT(process.user), RESTART, "", "NAME",
	  "user to become after ports are bound; without one it stays who started it" },
	{ "sandbox", "process", "sandbox", CHOICE(sandbox_words),
	  AT(process.sandbox), RESTART, "on", "off|on|require",
	  "confine the process to its files, without capabilities: not, as far as the kernel allows, or refuse to start if it does not" },

	{ "log-level", "log", "level", CHOICE(level_words),
	  AT(log.level), RELOAD, "info", "error|warning|info|debug",
	  "least important lines that are written" },
	{ "log-format", "log", "format", CHOICE(format_words),
	  AT(log.format), RESTART, "text", "text|json",
	  "key=value, or a JSON object a line" },
};
/* clang-format on */

const size_t config_option_count =
	sizeof(config_options) / sizeof(config_options[0]);

void config_option_env(const struct config_option *o, enum config_env_kind kind,
		       char out[CONFIG_ENV_MAX])
{
	size_t len = strlen(o->flag);
	size_t n = 0;

	if (kind == CONFIG_ENV_DIRECT)
		len -= strlen("-file");
	for (const char *s = "ARANCINI_"; *s != '\0'; s++)
		out[n++] = *s;
	for (size_t i = 0; i < len && n < CONFIG_ENV_MAX - 1; i++) {
		out[n] = (char)toupper(o->flag[i]);
		if (out[n] == '-')
			out[n] = '_';
		n++;
	}
	out[n] = '\0';
}

const struct config_option *config_option_by_flag(const char *flag, size_t len)
{
	for (size_t i = 0; i < config_option_count; i++)
		if (strlen(config_options[i].flag) == len &&
		    memcmp(config_options[i].flag, flag, len) == 0)
			return &config_options[i];
	return NULL;
}

const struct config_option *config_option_by_key(const char *section,
						 const char *key)
{
	for (size_t i = 0; i < config_option_count; i++)
		if (strcmp(config_options[i].section, section) == 0 &&
		    strcmp(config_options[i].key, key) == 0)
			return &config_options[i];
	return NULL;
}

const struct config_section *config_section_find(const char *name)
{
	for (size_t i = 0; i < config_section_count; i++)
		if (strcmp(config_sections[i].name, name) == 0)
			return &config_sections[i];
	return NULL;
}

bool config_is_default(const struct config *config, const char *flag)
{
	const struct config_option *o =
		config_option_by_flag(flag, strlen(flag));

	return config->sources[config_option_index(o)].origin ==
	       CONFIG_FROM_DEFAULT;
}
