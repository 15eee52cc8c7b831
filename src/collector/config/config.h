/*
 * collector/config/config.h - all options of an operator, as plain values
 *
 *	flags  >  environment  >  --config FILE  >  defaults
 *
 * One table (options.h) has the names, type, limits, default and help of every
 * option; parsing, printing, --help, the sample file and the man pages are made
 * from it. A list in one layer replaces the lists of lower layers; given twice
 * in one layer, it grows. loader.h reads a configuration, diff.h compares two,
 * print.h writes one.
 *
 * Values	Times are nanoseconds, SP_NEVER (<spargio/time.h>) for "never"
 *		and "off". Sizes are bytes. The meaning of 0 is given below.
 *		Addresses are 16 bytes, IPv4 mapped. Text is never NULL but may
 *		be "". "{collector}" in subjects and stream names is not yet
 *		replaced: see config_expand().
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

/* Where an option's value came from. */
struct config_source {
	uint8_t origin;	   /* enum config_origin */
	unsigned int line; /* line of the file */
};

struct config {
	struct {
		uint64_t workers; /* 0 = one worker per CPU */
		struct config_addresses addresses;
		struct config_texts connect; /* HOST:PORT to connect to */
		uint64_t backlog;
		uint64_t rcvbuf;       /* 0 = the kernel's autotuning */
		uint64_t recv_buffers; /* per worker; a power of two */
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
	} access;
	struct {
		uint64_t sessions;
		uint64_t sessions_per_ip;
		uint64_t routers;
		int64_t handshake_timeout;
		int64_t idle_timeout;
		int64_t frame_timeout;
		uint64_t routes; /* total; 0 = no limit, as in the next two */
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
		char *updates; /* prefixes of subjects */
		char *events;
		uint64_t batch_bytes;
		uint64_t batch_updates; /* 0 = as many as fit */
		int batch_compress;	/* enum egress_encoding */
		uint64_t bridge_batches;
		bool discard;	/* discard the output of the bridge */
		bool mirroring; /* publish Route Mirroring */
	} egress;
	struct {
		/* if empty, the journal is the output */
		struct config_texts urls;
		char *stream;
		bool no_create;
		bool take_over;
		int storage; /* enum config_storage */
		uint64_t replicas;
		int64_t max_age;    /* SP_NEVER = no limit */
		uint64_t max_bytes; /* 0 = no limit */
		int64_t duplicate_window;
		uint64_t window;
		int64_t ack_timeout;
		char *inbox_prefix;
		char *user;
		struct config_secret password;
		struct config_secret token;
		char *creds;	 /* credentials file, read by libnats */
		char *nkey;	 /* the public key */
		char *nkey_seed; /* file with the seed */
		bool tls;
		char *tls_ca;
		char *tls_cert;
		char *tls_key;
	} nats;
	struct {
		char *directory; /* "" = "journal" below the state folder */
		int64_t sync_interval;
		uint64_t sync_bytes;
		uint64_t segment_bytes;
		uint64_t max_bytes; /* size limit as output; 0 = no limit */
		int64_t max_age;
		uint64_t spool_max;
		uint64_t acked_tail; /* 0 = off */
	} journal;
	struct {
		char *state; /* a folder or nats://... */
		int64_t interval;
		int64_t restore_wait;
	} snapshot;
	struct {
		struct config_address listen; /* port 0 and not set = off */
		struct config_secret token;
		bool metrics_per_peer;
	} http;
	struct {
		char *user;  /* "" = the user that started it */
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
	 * A hash table of 2 * router_capacity slots over kind, address, port
	 * and name of the sections: 0, or 1 + the place in routers.
	 */
	uint32_t *router_slots;

	/* Indexed by the option's row in the table. */
	struct config_source *sources;
	char *file; /* "" if no file was read */
};

/* True if the state is in a bucket of a server, not in a folder. */
bool config_state_is_url(const struct config *config);

/* @text with "{collector}" replaced, to free(); NULL if out of memory. */
char *config_expand(const struct config *config, const char *text);

#endif
