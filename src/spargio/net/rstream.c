/*
 * Receive streams.
 *
 * The bytes of a stream, in order:
 *
 *	[ carry: memory of its own ][ queue: buffers the kernel has filled ]
 *
 * The carry is usually empty. It holds the beginning of a message whose rest
 * has not arrived yet, bytes copied by a pause, and bytes of
 * sp_rstream_prepend(). A peek returns bytes in the carry or, if it is empty,
 * in the first buffer. If the requested bytes are not contiguous, exactly
 * these bytes are copied into the carry.
 *
 * The multishot receive ends when it has taken the stream's share of buffers.
 * The fiber arms it again when the queue is empty; until then further bytes
 * stay in the socket. If the kernel cannot limit the bytes of a receive, the
 * receive is cancelled when the queue exceeds the share.
 *
 * Access: the fiber uses the carry and the offset on any shard; all other
 * members are used only on the home shard, by the fiber or by on_event().
 */
#include "spargio/io/multishot.h"
#include "spargio/io/op.h"
#include "spargio/io/recv_buffers.h"
#include "spargio/io/sys.h"
#include "spargio/io/uring_abi.h"
#include "spargio/net/socket.h"
#include "spargio/sched/current.h"
#include "spargio/sched/runtime.h"
#include "spargio/sched/wait.h"

#include <spargio/rstream.h>
#include <spargio/time.h>

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define MAX_DEFAULT ((size_t)1024 * 1024)
#define CARRY_MIN   256
#define CARRY_KEEP  8192

struct sp_rstream {
	struct sp__multishot multishot; /* must be the first member */
	struct sp__recv_buffers *buffers;
	int fd;
	/* use a multishot receive; else poll the socket and read */
	bool has_multishot;
	bool starved; /* the last receive found no buffer */
	/* this stream may take buffers although other streams wait */
	bool turn;
	bool ended; /* no more bytes will arrive */
	int error;  /* error that ended the stream; 0 = EOF */

	/* Queue: the ids of filled buffers, linked by sp__recv_buffer.next. */
	uint32_t queued;
	uint16_t first, last;
	uint32_t offset; /* bytes of the first buffer already consumed */

	/* Carry: the bytes from begin to end. */
	uint8_t *carry;
	size_t carry_size, carry_begin, carry_end;
	size_t max;
};

/* Carry */

static size_t carry_len(const struct sp_rstream *rs)
{
	return rs->carry_end - rs->carry_begin;
}

static void carry_drop(struct sp_rstream *rs)
{
	free(rs->carry);
	rs->carry = NULL;
	rs->carry_size = rs->carry_begin = rs->carry_end = 0;
}

/* Make the carry large enough for @len bytes in total. */
static int carry_reserve(struct sp_rstream *rs, size_t len)
{
	size_t size = CARRY_MIN;
	size_t have = carry_len(rs);
	uint8_t *grown;

	if (rs->carry_begin > 0 && rs->carry_size - rs->carry_begin < len) {
		memmove(rs->carry, rs->carry + rs->carry_begin, have);
		rs->carry_begin = 0;
		rs->carry_end = have;
	}
	if (rs->carry_size - rs->carry_begin >= len)
		return 0;
	while (size < len)
		size *= 2;
	grown = realloc(rs->carry, size);
	if (grown == NULL)
		return -ENOMEM;
	rs->carry = grown;
	rs->carry_size = size;
	return 0;
}

/* Queue */

static const struct sp__recv_buffer *first_buffer(const struct sp_rstream *rs)
{
	return &rs->buffers->each[rs->first];
}

static const uint8_t *first_data(const struct sp_rstream *rs)
{
	return sp__recv_buffers_data(rs->buffers, rs->first) + rs->offset;
}

static void queue_push(struct sp_rstream *rs, uint32_t id, uint32_t len)
{
	struct sp__recv_buffers *b = rs->buffers;

	b->each[id].len = len;
	if (rs->queued++ == 0) {
		rs->first = (uint16_t)id;
		b->busy++;
	} else {
		b->each[rs->last].next = (uint16_t)id;
	}
	rs->last = (uint16_t)id;
	b->out++;
}

static void queue_pop(struct sp_rstream *rs)
{
	struct sp__recv_buffers *b = rs->buffers;
	uint16_t id = rs->first;

	rs->first = b->each[id].next;
	rs->offset = 0;
	if (--rs->queued == 0)
		b->busy--;
	sp__recv_buffers_give(b, id);
}

/* Return the buffers that the fiber has consumed. */
static void queue_trim(struct sp_rstream *rs)
{
	while (rs->queued > 0 && rs->offset >= first_buffer(rs)->len)
		queue_pop(rs);
}

/* Copy from the queue until the carry has @want bytes or the queue is empty. */
static int gather_carry(struct sp_rstream *rs, size_t want,
			_Atomic uint64_t *copied)
{
	while (carry_len(rs) < want && rs->queued > 0) {
		size_t n = first_buffer(rs)->len - rs->offset;
		int err;

		if (n > want - carry_len(rs))
			n = want - carry_len(rs);
		/*
		 * Reserve for the bytes that are here, not for @want: a peer
		 * may announce a length and never send that much.
		 */
		err = carry_reserve(rs, carry_len(rs) + n);
		if (err < 0)
			return err;
		memcpy(rs->carry + rs->carry_end, first_data(rs), n);
		rs->carry_end += n;
		rs->offset += (uint32_t)n;
		sp__count(copied, n);
		queue_trim(rs);
	}
	return 0;
}

/* The multishot receive */

static void take_buffers(struct sp_rstream *rs, int32_t res, uint32_t flags)
{
	struct sp__recv_buffers *b = rs->buffers;
	uint32_t id = flags >> IORING_CQE_BUFFER_SHIFT;

	sp__recv_buffers_named(b, id, res);
	for (uint32_t left = res > 0 ? (uint32_t)res : 0; left > 0;) {
		uint32_t n = left < b->size ? left : b->size;
		/*
		 * Find the next buffer first: when the stream has this buffer,
		 * it may return it to another position in the ring.
		 */
		uint32_t behind = sp__recv_buffers_behind(b, id);

		queue_push(rs, id, n);
		left -= n;
		id = behind;
	}
	atomic_store_explicit(&rs->multishot.home->counts.recv_out, b->out,
			      memory_order_relaxed);
}

/* Handle the last completion; @res is the reason why the receive ended. */
static void multishot_ended(struct sp_rstream *rs, int32_t res)
{
	switch (res) {
	case -ENOBUFS:
		rs->starved = true;
		sp__count(&rs->multishot.home->counts.recv_starved, 1);
		break;
	case -ECANCELED: /* cancelled by us */
	case -EINTR:
		break;
	case -EINVAL:
		/* Do not use features again that this kernel refuses. */
		if (rs->multishot.op.sqe.file_index != 0)
			rs->buffers->credits = false;
		else
			rs->has_multishot = false;
		break;
	case -EAGAIN: /* a non-blocking socket: a ring returns -EAGAIN */
		rs->has_multishot = false;
		break;
	default:
		if (res <= 0) {
			rs->ended = true;
			rs->error = sp__socket_error(res);
		}
		break;
	}
}

static bool is_greedy(const struct sp_rstream *rs)
{
	return (size_t)rs->queued * rs->buffers->size >
	       sp__recv_buffers_share(rs->buffers);
}

static void on_event(struct sp__op *op)
{
	struct sp_rstream *rs = (struct sp_rstream *)op;

	if (op->flags & IORING_CQE_F_BUFFER)
		take_buffers(rs, op->res, op->flags);
	if (op->done)
		multishot_ended(rs, op->res);
	/* The receive ended without a buffer: a waiting stream can have it. */
	if (op->done && op->res <= 0 && !rs->starved)
		sp__recv_buffers_offer(rs->buffers);
	if (!op->done && !rs->buffers->credits && is_greedy(rs))
		sp__multishot_cancel(&rs->multishot);
	sp__multishot_wake(&rs->multishot);
}

static void arm_receive(struct sp_rstream *rs)
{
	struct sp__recv_buffers *b = rs->buffers;
	struct io_uring_sqe *sqe = &rs->multishot.op.sqe;
	size_t share = sp__recv_buffers_share(b);

	io_uring_prep_recv_multishot(sqe, rs->fd, NULL, 0, 0);
	sqe->flags |= IOSQE_BUFFER_SELECT;
	sqe->buf_group = SP__RECV_BUFFERS_GROUP;
	if (b->bundles)
		sqe->ioprio |= SP__RECVSEND_BUNDLE;
	/*
	 * From Linux 6.17 on this field limits the total bytes of the
	 * multishot receive.
	 */
	if (b->credits)
		sqe->file_index = (uint32_t)share;
	rs->starved = false;
	sp__multishot_arm(&rs->multishot);
}

/* True if the peer has ended the stream or the connection is broken. */
static bool is_over(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLRDHUP };

	return sp__sys()->poll(&p, 1, 0) > 0;
}

/*
 * Wait for the multishot receive or, if there is no buffer for it, for a
 * buffer.
 *
 * Linux 6.18 can lose the wake-up for EOF or RST if it arrives with the last
 * data (decision 0100). So poll for POLLRDHUP before sleeping; if it is set,
 * cancel, and the next receive returns the EOF.
 */
static int wait_multishot(struct sp_rstream *rs, int64_t deadline)
{
	int ret;

	if (sp__multishot_armed(&rs->multishot) && is_over(rs->fd)) {
		sp__multishot_stop(&rs->multishot);
		return 0;
	}
	sp__multishot_wait_begin(&rs->multishot);
	if (!sp__multishot_armed(&rs->multishot) &&
	    (!rs->starved ||
	     sp__recv_buffers_ask(rs->buffers, &rs->multishot.waiter,
				  rs->turn)))
		arm_receive(rs);
	ret = sp__multishot_wait_end(&rs->multishot, deadline,
				     "receive stream");
	rs->turn = ret == SP__RECV_BUFFERS_TURN;
	return ret < 0 ? ret : 0;
}

/*
 * Without shared buffers: wait until the socket is readable, then read into
 * the carry. The wait yields, so that a socket that is always readable does
 * not starve other fibers.
 */
static int read_some(struct sp_rstream *rs, int64_t deadline)
{
	size_t room = rs->multishot.home->rt->opts.recv_buffer_size;
	ssize_t n;
	int err;

	err = sp__wait_fd(rs->fd, POLLIN, deadline, "receive stream");
	if (err >= 0)
		err = carry_reserve(rs, carry_len(rs) + room);
	if (err < 0)
		return err;
	n = sp__sys()->recv(rs->fd, rs->carry + rs->carry_end,
			    rs->carry_size - rs->carry_end, MSG_DONTWAIT);
	err = n < 0 ? -sp_errno() : 0;
	if (n > 0) {
		rs->carry_end += (size_t)n;
	} else if (err != -EAGAIN && err != -EINTR) {
		rs->ended = true;
		rs->error = sp__socket_error(err);
	}
	return 0;
}

/* The stream does not receive now: if it has a turn, pass the turn on. */
static void pass_turn(struct sp_rstream *rs)
{
	if (rs->turn)
		sp__recv_buffers_offer(rs->buffers);
	rs->turn = false;
}

static int wait_for_more(struct sp_rstream *rs, int64_t deadline)
{
	int err = sp__wait_refused(sp__fiber_self());

	if (err < 0) {
		pass_turn(rs);
		return err;
	}
	/*
	 * Do not keep a large carry during the wait. Keep a small one:
	 * otherwise every message that spans two buffers would allocate
	 * memory.
	 */
	if (carry_len(rs) == 0 && rs->carry_size > CARRY_KEEP)
		carry_drop(rs);
	return rs->has_multishot ? wait_multishot(rs, deadline)
				 : read_some(rs, deadline);
}

/* Public functions */

int sp_rstream_open(int fd, size_t max, struct sp_rstream **out)
{
	struct sp_fiber *self = sp__fiber_self();
	struct sp_rstream *rs;
	int err;

	if (self == NULL)
		return -EPERM;
	if (max > INT_MAX / 2)
		return -EINVAL;
	rs = calloc(1, sizeof(*rs));
	if (rs == NULL)
		return -ENOMEM;
	err = sp__recv_buffers_of(self->shard, &rs->buffers);
	if (err < 0 && err != -EOPNOTSUPP) {
		free(rs);
		return err;
	}
	sp__multishot_init(&rs->multishot, self->shard, on_event);
	rs->fd = fd;
	rs->has_multishot = err == 0;
	rs->max = max == 0 ? MAX_DEFAULT : max;
	*out = rs;
	return 0;
}

int sp_rstream_prepend(struct sp_rstream *rs, const void *data, size_t len)
{
	int err;

	assert(carry_len(rs) == 0 && rs->queued == 0);
	if (len == 0)
		return 0;
	err = carry_reserve(rs, len);
	if (err < 0)
		return err;
	memcpy(rs->carry, data, len);
	rs->carry_end = len;
	return 0;
}

uint32_t sp_rstream_shard(const struct sp_rstream *rs)
{
	return rs->multishot.home->index;
}

void sp_rstream_close(struct sp_rstream *rs)
{
	if (rs == NULL)
		return;
	(void)sp__multishot_go_home(&rs->multishot);
	sp__multishot_stop(&rs->multishot);
	while (rs->queued > 0)
		queue_pop(rs);
	carry_drop(rs);
	free(rs);
}

/* The contiguous bytes that can be peeked now. */
static struct sp_segment in_sight(const struct sp_rstream *rs)
{
	if (carry_len(rs) > 0)
		return (struct sp_segment){ rs->carry + rs->carry_begin,
					    carry_len(rs) };
	if (rs->queued > 0)
		return (struct sp_segment){
			first_data(rs), first_buffer(rs)->len - rs->offset
		};
	return (struct sp_segment){ NULL, 0 };
}

int sp_rstream_peek(struct sp_rstream *rs, size_t want, struct sp_segment *out)
{
	return sp_rstream_peek_until(rs, want, SP_NEVER, out);
}

/*
 * Hot: called once for each message, or once for each segment. Cost: a few
 * loads if the segment has @want bytes. bench/recv_stream.c compares this with
 * a plain loop over a ring.
 */
int sp_rstream_peek_until(struct sp_rstream *rs, size_t want, int64_t deadline,
			  struct sp_segment *out)
{
	int err;

	if (want > rs->max)
		return -EMSGSIZE;
	want = want == 0 ? 1 : want;
	/*
	 * Checked each time: without has_multishot a wait may end on another
	 * shard.
	 */
	while ((err = sp__multishot_go_home(&rs->multishot)) == 0) {
		struct sp_segment segment;

		queue_trim(rs);
		segment = in_sight(rs);
		if (segment.len < want) {
			err = gather_carry(
				rs, want,
				&rs->multishot.home->counts.recv_copied);
			segment = in_sight(rs);
		}
		if (err < 0)
			break;
		if (segment.len >= want || (rs->ended && rs->error == 0)) {
			*out = segment;
			return (int)segment.len;
		}
		err = rs->ended ? rs->error : wait_for_more(rs, deadline);
		if (err < 0)
			break;
	}
	return err;
}

void sp_rstream_consume(struct sp_rstream *rs, size_t len)
{
	struct sp_shard *here = sp__shard_self();

	assert(len <= in_sight(rs).len);
	if (carry_len(rs) > 0) {
		rs->carry_begin += len;
		if (carry_len(rs) == 0)
			rs->carry_begin = rs->carry_end = 0;
		return;
	}
	rs->offset += (uint32_t)len;
	/* On another shard the buffers are returned at the next peek. */
	if (here == rs->multishot.home && rs->queued > 0)
		queue_trim(rs);
}

int sp_rstream_pause(struct sp_rstream *rs)
{
	int err = sp__multishot_go_home(&rs->multishot);

	if (err < 0)
		return err;
	sp__multishot_stop(&rs->multishot);
	sp__count(&rs->multishot.home->counts.recv_pauses, 1);
	queue_trim(rs);
	return gather_carry(rs, rs->max,
			    &rs->multishot.home->counts.recv_aside);
}

int64_t sp_rstream_arrived(struct sp_rstream *rs)
{
	int in_socket = 0;
	int err = sp_rstream_pause(rs);
	size_t here = carry_len(rs);
	uint16_t id = rs->first;

	if (err < 0)
		return err;
	for (uint32_t i = 0; i < rs->queued; i++) {
		here += rs->buffers->each[id].len;
		id = rs->buffers->each[id].next;
	}
	if (!rs->ended && sp__sys()->unread(rs->fd, &in_socket) < 0)
		return -sp_errno();
	return (int64_t)(here - rs->offset) + in_socket;
}
