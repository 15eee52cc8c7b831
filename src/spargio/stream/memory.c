#include <spargio/stream.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	FIRST_CAPACITY = 256
};

void sp_memory_init(struct sp_memory *memory, size_t limit)
{
	*memory = (struct sp_memory){ .limit = limit };
}

void sp_memory_fini(struct sp_memory *memory)
{
	/* Bytes of sp_memory_view() belong to the caller: no capacity. */
	if (memory->capacity != 0)
		free(memory->data);
	*memory = (struct sp_memory){ 0 };
}

void sp_memory_view(struct sp_memory *memory, const void *data, size_t len)
{
	/* The cast is safe: nothing is written, because the limit is 0. */
	*memory = (struct sp_memory){ .data = (char *)data, .end = len };
}

static ssize_t memory_read(void *object, void *data, size_t len,
			   int64_t deadline)
{
	struct sp_memory *memory = object;
	size_t left = memory->end - memory->begin;

	(void)deadline;
	if (len > left)
		len = left;
	if (len > 0)
		memcpy(data, memory->data + memory->begin, len);
	memory->begin += len;
	return (ssize_t)len;
}

/* The next capacity that holds @size bytes, which is at most the limit. */
static size_t grown_capacity(const struct sp_memory *memory, size_t size)
{
	size_t capacity =
		memory->capacity == 0 ? FIRST_CAPACITY : memory->capacity;

	while (capacity < size && capacity <= memory->limit / 2)
		capacity *= 2;
	return capacity < size ? memory->limit : capacity;
}

/* Make room for @len bytes behind the end. 0 or -ENOMEM. */
static int make_room(struct sp_memory *memory, size_t len)
{
	size_t used = memory->end - memory->begin;
	size_t capacity;
	char *data;

	if (len <= memory->capacity - memory->end)
		return 0;
	if (used > 0 && memory->begin > 0)
		memmove(memory->data, memory->data + memory->begin, used);
	memory->begin = 0;
	memory->end = used;
	if (len <= memory->capacity - used)
		return 0;
	capacity = grown_capacity(memory, used + len);
	data = realloc(memory->data, capacity);
	if (data == NULL)
		return -ENOMEM;
	memory->data = data;
	memory->capacity = capacity;
	return 0;
}

static ssize_t memory_write(void *object, const struct iovec *parts, int count,
			    int64_t deadline)
{
	struct sp_memory *memory = object;
	size_t put = 0;

	(void)deadline;
	for (int i = 0; i < count; i++) {
		size_t used = memory->end - memory->begin;
		size_t len = parts[i].iov_len;
		int err = 0;

		if (len > 0 && used >= memory->limit)
			err = -ENOSPC;
		else if (len > memory->limit - used)
			len = memory->limit - used;
		if (err == 0 && len > 0)
			err = make_room(memory, len);
		if (err < 0)
			return put > 0 ? (ssize_t)put : err;
		if (len > 0)
			memcpy(memory->data + memory->end, parts[i].iov_base,
			       len);
		memory->end += len;
		put += len;
	}
	return (ssize_t)put;
}

static void memory_close(void *object)
{
	sp_memory_fini(object);
}

static const struct sp_stream_ops memory_ops = {
	.read = memory_read,
	.write = memory_write,
	.close = memory_close,
};

void sp_stream_memory(struct sp_memory *memory, struct sp_stream *out)
{
	*out = (struct sp_stream){ .ops = &memory_ops, .object = memory };
}
