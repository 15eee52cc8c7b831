/*
 * A chain of layers, each of which reads from the layer below. The lowest layer
 * reads the file, the others decompress. The bytes that are read to detect the
 * format are put into the input buffer of the next layer; if there is no next
 * layer, they are delivered first.
 */
#include "capture/source.h"

#include "capture/codec.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define LAYER_BUFFER (64 * 1024)

struct layer {
	struct layer *below;	     /* NULL for the lowest layer */
	struct capture_codec *codec; /* NULL for the lowest layer */
	enum capture_format format;
	/* CAPTURE_SOURCE_OK while there may be more bytes */
	enum capture_source_status ended;
	bool in_member; /* within compressed data */

	/* Unused input: in[at..len). Not used by the lowest layer. */
	size_t at;
	size_t len;
	uint8_t in[LAYER_BUFFER];
};

struct capture_source {
	int fd; /* -1 for memory */
	struct wire_view memory;
	uint64_t done;
	uint64_t total;

	struct layer *top;
	enum capture_format format;
	uint8_t peek[CAPTURE_FORMAT_PEEK];
	size_t peek_at;
	size_t peek_len;
};

static enum capture_source_status bottom_read(struct capture_source *source,
					      uint8_t *to, size_t len,
					      size_t *got)
{
	struct wire_view *memory = &source->memory;
	ssize_t n;

	if (source->fd >= 0) {
		do {
			n = read(source->fd, to, len);
		} while (n < 0 && errno == EINTR);
		if (n < 0)
			return CAPTURE_SOURCE_IO;
	} else {
		n = (ssize_t)(len < memory->len ? len : memory->len);
		if (n > 0) {
			memcpy(to, memory->p, (size_t)n);
			memory->p += n;
			memory->len -= (size_t)n;
		}
	}
	if (n == 0)
		return CAPTURE_SOURCE_END;
	source->done += (uint64_t)n;
	*got = (size_t)n;
	return CAPTURE_SOURCE_OK;
}

static enum capture_source_status layer_read(struct capture_source *source,
					     struct layer *layer, uint8_t *to,
					     size_t len, size_t *got);

/* Load at least @want bytes of input; fewer if the input ends. */
static enum capture_source_status layer_fill(struct capture_source *source,
					     struct layer *layer, size_t want)
{
	enum capture_source_status status = CAPTURE_SOURCE_OK;
	size_t got;

	if (layer->at > 0) {
		memmove(layer->in, layer->in + layer->at,
			layer->len - layer->at);
		layer->len -= layer->at;
		layer->at = 0;
	}
	while (layer->len < want) {
		status =
			layer_read(source, layer->below, layer->in + layer->len,
				   LAYER_BUFFER - layer->len, &got);
		if (status != CAPTURE_SOURCE_OK)
			break;
		layer->len += got;
	}
	return layer->len > 0 ? CAPTURE_SOURCE_OK : status;
}

/*
 * Go to the next member: skip padding, and restart the codec if the following
 * bytes are a member of the same kind. Else return the end, or
 * CAPTURE_SOURCE_TRAILING for other bytes.
 */
static enum capture_source_status layer_next_member(
	struct capture_source *source, struct layer *layer)
{
	enum capture_source_status status;
	struct wire_view rest;

	for (;;) {
		status = layer_fill(source, layer, CAPTURE_FORMAT_PEEK);
		if (status != CAPTURE_SOURCE_OK)
			return status;
		while (layer->at < layer->len && layer->in[layer->at] == 0)
			layer->at++;
		if (layer->at == 0)
			break;
	}
	rest = (struct wire_view){ layer->in, layer->len };
	if (capture_format_of(rest) != layer->format)
		return CAPTURE_SOURCE_TRAILING;
	if (capture_codec_restart(layer->codec) < 0)
		return CAPTURE_SOURCE_MEMORY;
	layer->in_member = true;
	return CAPTURE_SOURCE_OK;
}

/*
 * Run one step of the codec. CAPTURE_SOURCE_OK does not imply that *@got > 0.
 */
static enum capture_source_status layer_step(struct capture_source *source,
					     struct layer *layer, uint8_t *to,
					     size_t len, size_t *got)
{
	enum capture_source_status status = CAPTURE_SOURCE_OK;
	struct capture_codec_io io = { .out = to, .out_len = len };
	enum capture_codec_status step;

	if (!layer->in_member) {
		status = layer_next_member(source, layer);
		if (status != CAPTURE_SOURCE_OK)
			return status;
	}
	if (layer->at == layer->len)
		status = layer_fill(source, layer, 1);
	io.in = layer->in + layer->at;
	io.in_len = layer->len - layer->at;
	/* A codec may have output even without input. */
	step = capture_codec_step(layer->codec, &io);
	layer->at = layer->len - io.in_len;
	*got = len - io.out_len;

	switch (step) {
	case CAPTURE_CODEC_DONE:
		layer->in_member = false;
		return CAPTURE_SOURCE_OK;
	case CAPTURE_CODEC_MORE:
		if (status == CAPTURE_SOURCE_END && *got == 0)
			return CAPTURE_SOURCE_TRUNCATED;
		return *got > 0 ? CAPTURE_SOURCE_OK : status;
	case CAPTURE_CODEC_MEMORY_LIMIT:
		return CAPTURE_SOURCE_MEMORY;
	default:
		return CAPTURE_SOURCE_CORRUPT;
	}
}

static enum capture_source_status layer_read(struct capture_source *source,
					     struct layer *layer, uint8_t *to,
					     size_t len, size_t *got)
{
	size_t n = 0;

	while (n == 0 && layer->ended == CAPTURE_SOURCE_OK)
		layer->ended = layer->codec == NULL
				       ? bottom_read(source, to, len, &n)
				       : layer_step(source, layer, to, len, &n);
	/*
	 * If a member is damaged, deliver the bytes before the damage; the next
	 * call returns the error.
	 */
	if (n == 0)
		return layer->ended;
	*got = n;
	return CAPTURE_SOURCE_OK;
}

static int layer_push(struct capture_source *source, enum capture_format format)
{
	struct layer *layer = calloc(1, sizeof(*layer));
	int err;

	if (layer == NULL)
		return -ENOMEM;
	if (format != CAPTURE_UNKNOWN) {
		err = capture_codec_new(format, &layer->codec);
		if (err < 0) {
			free(layer);
			return err;
		}
	}
	layer->format = format;
	layer->in_member = true;
	layer->below = source->top;
	memcpy(layer->in, source->peek, source->peek_len);
	layer->len = source->peek_len;
	source->peek_len = 0;
	source->top = layer;
	return 0;
}

static bool is_compression(enum capture_format format)
{
	return format == CAPTURE_GZIP || format == CAPTURE_BZIP2 ||
	       format == CAPTURE_XZ || format == CAPTURE_ZSTD;
}

/* Detect the format and add a layer, as long as the data is compressed. */
static int compression_unwrap(struct capture_source *source)
{
	struct wire_view seen;
	size_t got = 0;
	int err = layer_push(source, CAPTURE_UNKNOWN);

	for (int depth = 0; err == 0; depth++) {
		while (source->peek_len < sizeof(source->peek) &&
		       layer_read(source, source->top,
				  source->peek + source->peek_len,
				  sizeof(source->peek) - source->peek_len,
				  &got) == CAPTURE_SOURCE_OK)
			source->peek_len += got;
		seen = (struct wire_view){ source->peek, source->peek_len };
		source->format = capture_format_of(seen);
		if (!is_compression(source->format) ||
		    depth == CAPTURE_SOURCE_LAYERS)
			break;
		err = layer_push(source, source->format);
	}
	return err;
}

static int source_new(int fd, struct wire_view memory, uint64_t total,
		      struct capture_source **out)
{
	struct capture_source *source = calloc(1, sizeof(*source));
	int err;

	if (source == NULL)
		return -ENOMEM;
	source->fd = fd;
	source->memory = memory;
	source->total = total;
	err = compression_unwrap(source);
	if (err < 0) {
		source->fd = -1; /* the caller still owns the descriptor */
		capture_source_close(source);
		return err;
	}
	*out = source;
	return 0;
}

int capture_source_open(const char *path, struct capture_source **out)
{
	bool standard_input = strcmp(path, "-") == 0;
	int fd = standard_input ? dup(STDIN_FILENO)
				: open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	int err;

	if (fd < 0 || fstat(fd, &st) < 0) {
		err = -errno;
		goto fail;
	}
	if (S_ISDIR(st.st_mode)) {
		err = -EISDIR;
		goto fail;
	}
	err = source_new(fd, (struct wire_view){ 0 },
			 S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0, out);
	if (err < 0)
		goto fail;
	return 0;

fail:
	if (fd >= 0)
		close(fd);
	return err;
}

int capture_source_open_memory(struct wire_view bytes,
			       struct capture_source **out)
{
	return source_new(-1, bytes, bytes.len, out);
}

void capture_source_close(struct capture_source *source)
{
	struct layer *below;

	if (source == NULL)
		return;
	for (struct layer *layer = source->top; layer != NULL; layer = below) {
		below = layer->below;
		capture_codec_free(layer->codec);
		free(layer);
	}
	if (source->fd >= 0)
		close(source->fd);
	free(source);
}

enum capture_format capture_source_format(const struct capture_source *source)
{
	return source->format;
}

enum capture_source_status capture_source_read(struct capture_source *source,
					       uint8_t *to, size_t len,
					       size_t *got)
{
	size_t left = source->peek_len - source->peek_at;

	if (left == 0)
		return layer_read(source, source->top, to, len, got);
	*got = len < left ? len : left;
	memcpy(to, source->peek + source->peek_at, *got);
	source->peek_at += *got;
	return CAPTURE_SOURCE_OK;
}

void capture_source_progress(const struct capture_source *source,
			     uint64_t *done, uint64_t *total)
{
	*done = source->done;
	*total = source->total;
}

const char *capture_source_text(enum capture_source_status status)
{
	static const char *const texts[CAPTURE_SOURCE_STATUSES] = {
		[CAPTURE_SOURCE_OK] = "all is well",
		[CAPTURE_SOURCE_END] = "the end",
		[CAPTURE_SOURCE_TRUNCATED] =
			"the compressed data ends too early",
		[CAPTURE_SOURCE_CORRUPT] = "the compressed data is damaged",
		[CAPTURE_SOURCE_TRAILING] =
			"something else follows the compressed data",
		[CAPTURE_SOURCE_MEMORY] =
			"it takes too much memory to decompress",
		[CAPTURE_SOURCE_IO] = "it cannot be read",
	};

	return status < CAPTURE_SOURCE_STATUSES ? texts[status] : "unknown";
}
