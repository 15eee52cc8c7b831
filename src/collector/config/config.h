/*
 * collector/config/config.h - all options of an operator, as plain values
 *
 *	flags  >  environment  >  --config FILE  >  defaults
 *
 * One table (options.h) has the names, type, limits, default and help of every
 * option; parsing, printing, --help, the sample file and the man pages are made
 * from it. If a layer sets a list, it replaces the lists of lower layers. If
 * one layer sets a list twice, the elements are added. loader.h reads a
 * configuration, diff.h compares two, print.h writes one.
 *
 * Values	Times are nanoseconds, SP_NEVER (<spargio/time.h>) for "never"
 *		and "off". Sizes are bytes. The meaning of 0 is given below.
 *		Addresses are 16 bytes, IPv4 mapped. Text is never NULL but may
 *		be "". "{collector}" in subjects and stream names is not yet
 *		replaced; config_expand() does that.
 * Threads	A loaded configuration does not change: any thread may read it.
 *		A reload makes a new one.
 * Ownership	A struct config owns everything it points to.
 */
#ifndef COLLECTOR_CONFIG_CONFIG_H
#define COLLECTOR_CONFIG_CONFIG_H

#include "collector/config/router_section.h"
#include "collector/config/value.h"
#include "collector/base/router_identity.h"
#include "collector/base/log.h"
#include "bmp/message.h"

enum config_overload {
	CONFIG_OVERLOAD_BLOCK,
	CONFIG_OVERLOAD_DROP,
};

/* In the order of enum rib_mode. */
enum config_curation {
	CONFIG_CURATION_ATTRIBUTES,
	CONFIG_CURATION_PRESENCE,
	CONFIG_CURATION_OFF,
};

enum config_storage {
	CONFIG_STORAGE_FILE,
	CONFIG_STORAGE_MEMORY,
};

/* The source of a value, weakest first. */
enum config_origin {
	CONFIG_FROM_DEFAULT,
	CONFIG_FROM_FILE,
	CONFIG_FROM_ENVIRONMENT,
	CONFIG_FROM_FLAG,
};

/* The place that an option's value came from. */
struct config_source {
	uint8_t origin;	   /* enum config_origin */
	unsigned int line; /* line number, for a file */
};

struct config {
	struct {
		uint64_t workers; /* 0 = one worker per CPU */
		struct config_addresses addresses;
		struct config_texts connect; /* HOST:PORT to connect to */
		uint64_t backlog;
		/* receive buffer in bytes; 0 = the kernel's autotuning */
		uint64_t rcvbuf;
		/* receive buffers per worker; a power of two */
		uint64_t recv_buffers;
		uint64_t recv_buffer_size;
		uint64_t max_frame;
		int bmp_v4;   /* enum bmp_v4 */
		int overload; /* enum config_overload */
		int64_t drain_timeout;
	} listen;
	struct {
		int router_id; /* enum identity_mode */
		/* id of the collector in messages and stream names */
		char *collector;
	} identity;
	struct {
		struct acl_list allow;
		struct acl_list deny;
		/* load balancers that send the header of the PROXY protocol */
		struct acl_list proxies;
	} access;
	struct {
		uint64_t sessions;
		uint64_t sessions_per_ip;
		uint64_t routers;
		int64_t handshake_timeout;
		int64_t idle_timeout;
		int64_t frame_timeout;
		/*
		 * maximum routes: of all routers, per router, per peer; 0 = no
		 * limit
		 */
		uint64_t routes;
		uint64_t routes_per_router;
		uint64_t routes_per_peer;
		uint64_t output_rate; /* bytes/s per router; 0 = no limit */
	} limits;
	struct {
		int mode; /* enum config_curation */
		int64_t sweep_quiet;
		int64_t sweep_max;
		int64_t stale_hold;
		struct filter filter;
	} curation;
	struct {
		char *updates; /* prefix of subjects; see subject_prefix() */
		char *events;
		uint64_t batch_bytes;
		/* updates per batch; 0 = as many as fit */
		uint64_t batch_updates;
		int64_t batch_linger;
		int batch_compress; /* enum egress_encoding */
		uint64_t bridge_batches;
		bool discard;	/* discard all output */
		bool mirroring; /* publish Route Mirroring */
	} egress;
	struct {
		/* servers; if there are none, the journal is the output */
		struct config_texts urls;
		char *stream;
		bool no_create;
		bool take_over;
		int storage; /* enum config_storage */
		uint64_t replicas;
		int64_t max_age;    /* maximum age; SP_NEVER = no limit */
		uint64_t max_bytes; /* maximum size; 0 = no limit */
		int64_t duplicate_window;
		uint64_t window;
		int64_t ack_timeout;
		char *inbox_prefix;
		char *domain;
		char *user;
		struct config_secret password;
		struct config_secret token;
		char *creds;	 /* file with credentials, read by libnats */
		char *nkey;	 /* the public key */
		char *nkey_seed; /* file with the seed of the key */
		bool tls;
		char *tls_ca;
		char *tls_cert;
		char *tls_key;
	} nats;
	struct {
		char *directory; /* "" = "journal" in the state folder */
		int64_t sync_interval;
		uint64_t sync_bytes;
		uint64_t segment_bytes;
		/* maximum size if the journal is the output; 0 = no limit */
		uint64_t max_bytes;
		int64_t max_age;
		uint64_t spool_max;
		/* maximum bytes of the acked tail; 0 = none */
		uint64_t acked_tail;
	} journal;
	struct {
		char *state; /* a folder or a URL nats://... */
		int64_t interval;
		int64_t restore_wait;
	} snapshot;
	struct {
		/* not set and port 0 = no HTTP server */
		struct config_address listen;
		struct config_secret token;
		bool metrics_per_peer;
	} http;
	struct {
		char *user;  /* user to switch to; "" = no switch */
		int sandbox; /* enum sandbox_mode */
	} process;
	struct {
		int level;  /* enum log_level */
		int format; /* enum log_format */
	} log;

	struct config_router *routers;
	size_t router_count;
	size_t router_capacity;
	/*
	 * A hash table with 2 * router_capacity slots, by kind, address, port
	 * and name of the sections. A slot has 0, or 1 + the index in routers.
	 */
	uint32_t *router_slots;

	/* indexed like config_options */
	struct config_source *sources;
	char *file; /* "" if no file was read */
};

/* True if the state is kept in a bucket of a server, not in a folder. */
bool config_state_is_url(const struct config *config);

/*
 * A copy of @text in which "{collector}" is replaced; the caller frees it. NULL
 * if out of memory.
 */
char *config_expand(const struct config *config, const char *text);

#endif
