/*
 * spargio/stream.h - one interface to read and write descriptors, memory and
 * other objects
 *
 *	socket, pipe, file ---+		      +--- bytes, lines: reader.h
 *	memory ---------------+-- sp_stream --+--- buffered text: writer.h
 *	your own (TLS, ...) --+		      +--- frames: frame.h; copy
 *
 *	sp_memory_init(&page, 1 << 20);
 *	sp_stream_memory(&page, &to);
 *	err = sp_stream_fd(fd, &from);
 *	n = sp_stream_copy(&from, &to, INT64_MAX);
 *
 * A stream is a table of functions and the object on which they work. To read
 * or write another kind of object, fill in such a table; everything in the
 * right column of the picture can then use the object.
 *
 * Threads	As the object allows. A descriptor: any fiber, and one may read
 *		while another writes. Memory: any thread, one at a time.
 * Blocking	Calls marked "yields" wait where the object has to wait; memory
 *		never does. Each of them has a form with a deadline,
 *		..._until().
 * Ownership	struct sp_stream is a pair of pointers, to be copied freely; the
 *		object must outlive its last use. sp_stream_close() ends the
 *		object.
 * Errors	A negative errno: that of the object, or -EOPNOTSUPP if the
 *		object lacks the function.
 */
#ifndef SPARGIO_STREAM_H
#define SPARGIO_STREAM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The functions of a kind of object; NULL = the object lacks the function. */
struct sp_stream_ops {
	/*
	 * Read up to @len bytes, @len > 0; wait for the first one only. Returns
	 * their number, or 0 at the end of the stream.
	 */
	ssize_t (*read)(void *object, void *data, size_t len, int64_t deadline);
	/*
	 * Write the bytes of the @count parts in order, all of them or only the
	 * first ones. The parts have at least one byte. Returns the number of
	 * bytes written, at least 1.
	 */
	ssize_t (*write)(void *object, const struct iovec *parts, int count,
			 int64_t deadline);
	/* Tell the other end that nothing more will be written. */
	int (*shutdown)(void *object, int64_t deadline);
	void (*close)(void *object);
};

struct sp_stream {
	const struct sp_stream_ops *ops;
	void *object;
};

/*
 * The stream of a descriptor of any kind, blocking or not; files are read and
 * written at the file position. Closing the stream closes @fd. Only a socket
 * can be shut down. -EBADF.
 */
int sp_stream_fd(int fd, struct sp_stream *out);

/*
 * Read the available bytes, at most @len. 0 at the end of the stream. Yields.
 */
ssize_t sp_stream_read(const struct sp_stream *s, void *data, size_t len);
ssize_t sp_stream_read_until(const struct sp_stream *s, void *data, size_t len,
			     int64_t deadline);

/*
 * Write the bytes of the @count parts in order, all of them or only the first
 * ones. Returns the number of bytes written, which is 0 only if the parts are
 * empty. Yields.
 */
ssize_t sp_stream_writev(const struct sp_stream *s, const struct iovec *parts,
			 int count);
ssize_t sp_stream_writev_until(const struct sp_stream *s,
			       const struct iovec *parts, int count,
			       int64_t deadline);

/*
 * Write all bytes. Returns 0. After an error a part may have been written, and
 * it is not known how much; a writer (writer.h) keeps the unwritten bytes.
 * Yields.
 */
int sp_stream_write_all(const struct sp_stream *s, const void *data,
			size_t len);
int sp_stream_write_all_until(const struct sp_stream *s, const void *data,
			      size_t len, int64_t deadline);

/*
 * Tell the other end that nothing more will be written: it then reads the end
 * of the stream. Yields.
 */
int sp_stream_shutdown(const struct sp_stream *s);
int sp_stream_shutdown_until(const struct sp_stream *s, int64_t deadline);

/* Close the object. May yield, and cannot be cancelled. */
void sp_stream_close(const struct sp_stream *s);

/*
 * Copy until the end of @from or @max bytes. Returns the number of bytes. After
 * an error a part may have been copied; bytes that were read but not written
 * are lost. Yields.
 */
int64_t sp_stream_copy(const struct sp_stream *from, const struct sp_stream *to,
		       int64_t max);
int64_t sp_stream_copy_until(const struct sp_stream *from,
			     const struct sp_stream *to, int64_t max,
			     int64_t deadline);

/*
 * Bytes in memory: a write appends bytes, a read takes bytes from the front.
 *
 *	 [ read | to be read | room ]
 *	 0	begin	     end    capacity
 */
struct sp_memory {
	char *data; /* NULL before the first write */
	size_t begin;
	size_t end;
	size_t capacity;
	size_t limit;
};

/*
 * Initialise @memory without bytes. Writes allocate memory for at most @limit
 * bytes that were not read yet; a write beyond that returns -ENOSPC.
 * sp_memory_fini() frees the memory.
 */
void sp_memory_init(struct sp_memory *memory, size_t limit);
void sp_memory_fini(struct sp_memory *memory);

/*
 * Initialise @memory for reading the @len bytes at @data, which still belong to
 * the caller. A write returns -ENOSPC. sp_memory_fini() is allowed, but not
 * necessary.
 */
void sp_memory_view(struct sp_memory *memory, const void *data, size_t len);

/*
 * Set *@out to the stream of @memory. If all bytes were read, a read returns 0,
 * even if more bytes will be written later. Closing the stream calls
 * sp_memory_fini().
 */
void sp_stream_memory(struct sp_memory *memory, struct sp_stream *out);

#ifdef __cplusplus
}
#endif

#endif
