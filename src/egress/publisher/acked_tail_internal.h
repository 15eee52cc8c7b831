/*
 * egress/publisher/acked_tail_internal.h - the structs of the acked tail
 *
 * Private to acked_tail_write.c, which adds messages and writes files, and
 * acked_tail_read.c, which opens and reads files.
 */
#ifndef EGRESS_PUBLISHER_ACKED_TAIL_INTERNAL_H
#define EGRESS_PUBLISHER_ACKED_TAIL_INTERNAL_H

#include "egress/publisher/acked_tail.h"
#include "egress/subject.h"

#include <spargio/sync.h>

#include <zstd.h>

/* bytes in memory; more if one message is larger */
#define CHUNK_BYTES	(1u << 20)
#define CHUNK_BYTES_MAX (16u << 20)
#define CHUNKS_MIN	16 /* max_bytes is at least so many chunks */
#define SPARES_MAX	2
#define FILES_MAX	64
#define FILES_WANTED	8 /* max_bytes is divided into so many files */
#define NAME_MAX_LEN	32
#define MAGIC		UINT64_C(0x314c494154415241) /* "ARATAIL1" */
/* mask: the bytes of MAGIC without the version digit */
#define MAGIC_NAME UINT64_C(0x00ffffffffffffff)
#define AGE_NS	   INT64_C(1000000000)
#define AGAIN_NS   INT64_C(10000000000) /* retry after a disk error */
#define STALL_NS   INT64_C(1000000000)	/* longest wait for a write */

/*
 * After a chunk was compressed, the next chunks are not compressed for
 * COMPRESS_SHARE times as long as the compression took. So compression takes at
 * most half a percent of the time. Up to some ten thousand updates per second
 * all chunks are compressed.
 */
#define COMPRESS_SHARE 200
#define LEVEL	       1

/* The structs of a file, stored in this layout, little-endian. */
struct file_header {
	uint64_t magic;
	uint64_t created_ns; /* when the stream was created */
	uint64_t first;	     /* sequence of the first message in the file */
	/* last sequence acknowledged when the file was begun */
	uint64_t acked;
	uint64_t checksum; /* checksum of the members above */
};

enum chunk_flag {
	CHUNK_ZSTD = 1,
	CHUNK_END = 2, /* chunk without messages: the run ended normally */
};

struct chunk_header {
	/* checksum of the members below and of the chunk's bytes */
	uint64_t checksum;
	uint64_t first; /* sequence of the chunk's first message */
	uint32_t count;
	uint32_t flags;
	uint32_t size;	/* length of the chunk's bytes as stored */
	uint32_t plain; /* length of the chunk's bytes after decompression */
};

enum message_flag {
	MESSAGE_AFTER = 1, /* the message has the header Arancini-After */
	MESSAGE_DELTA = 2,
};

/* Precedes the subject and the bytes of each message in a chunk. */
struct message_header {
	uint32_t len;	/* length of the bytes as stored */
	uint32_t plain; /* length after word_delta_decode() */
	uint16_t subject_len;
	uint8_t encoding;
	uint8_t flags; /* enum message_flag */
	uint32_t reserved;
	uint64_t epoch;
	uint64_t record_epoch;
	uint64_t record_seq;
	uint32_t record_upto;
	uint32_t after_upto;
	uint64_t after_epoch;
	uint64_t after_seq;
};

/* A chunk in memory: @count messages with sequences from @first on. */
struct chunk {
	struct chunk *next;
	uint64_t first;
	uint32_t count;
	uint32_t len;
	uint32_t cap;
	uint32_t encoded; /* number of its bytes that are already compressed */
	int64_t began_ns; /* start of the chunk's age; 0 = not set yet */
	uint8_t *bytes;
};

struct tail_file {
	uint64_t first;
	uint64_t bytes; /* length of the valid part */
	/* file length; a reused file has old data after the valid part */
	uint64_t extent;
};

struct acked_tail {
	struct sp_mutex lock; /* protects the files and the reader */
	int dir;	      /* -1 = no message is kept */
	uint64_t max_bytes;
	size_t chunk_bytes; /* a chunk with so many bytes is full */

	int64_t created_ns;
	uint64_t acked; /* the highest sequence that was acknowledged */
	uint64_t end;	/* the last sequence that was added or acknowledged */
	bool complete;	/* see acked_tail_complete() */

	struct tail_file files[FILES_MAX];
	size_t file_count;
	uint64_t disk_bytes; /* sum of the extents of all files */
	uint64_t recycled;   /* extent of the old file reused as the newest */
	/* descriptor of the newest file; -1 = the next chunk begins a file */
	int fd;
	uint64_t written;    /* the last sequence on disk; 0 = none */
	int64_t again;	     /* after a disk error, no write before this time */
	int64_t write_began; /* time when the current write began; 0 = none */

	/* chunks not yet written; messages are added to the last one */
	struct chunk *first;
	struct chunk *last;
	struct chunk *spare; /* list of chunks to use again */
	unsigned spares;
	uint64_t memory;

	ZSTD_CCtx *compress;
	ZSTD_DCtx *decompress;
	int64_t compress_from; /* compress no chunk before this time */
	uint8_t *stored;       /* buffer for a chunk as it is on disk */
	size_t stored_cap;

	/*
	 * Name of the newest file of an older run that could not be read, and
	 * the error.
	 */
	int damage_error;
	char damage_name[NAME_MAX_LEN];

	/* Reading */
	int read_fd;
	size_t read_file;
	uint64_t read_offset;
	uint64_t read_seq; /* sequence of the next message */
	uint8_t *plain;	   /* buffer: a decompressed chunk */
	size_t plain_cap;
	size_t plain_len;
	size_t plain_at;
	/* number of messages of the chunk that were not read yet */
	uint32_t plain_left;
	uint8_t *whole; /* buffer: a message after word_delta_decode() */
	size_t whole_cap;
	char subject[SUBJECT_MAX];
};

/* acked_tail_write.c; functions that use files yield */
void acked_tail_memory_cut(struct acked_tail *t, uint64_t seq);
int acked_tail_memory_write(struct acked_tail *t, int64_t now, bool all);
void acked_tail_memory_drop(struct acked_tail *t);
void acked_tail_chunk_free(struct chunk *c);
int acked_tail_disk_drop(struct acked_tail *t);
void acked_tail_file_name(uint64_t first, char out[NAME_MAX_LEN]);
bool acked_tail_file_parse_name(const char *name, uint64_t *out);
uint64_t acked_tail_header_checksum(const struct file_header *h);
uint64_t acked_tail_chunk_checksum(const struct chunk_header *h,
				   const uint8_t *bytes);
bool acked_tail_buffer_reserve(uint8_t **bytes, size_t *cap, size_t want);
int acked_tail_header_write(struct acked_tail *t, struct chunk_header *h,
			    const uint8_t *bytes);
void acked_tail_lock(struct acked_tail *t);

#endif
