#include "spargio/io/ring.h"
#include "spargio/io/uring_abi.h"

#include <spargio/probe.h>
#include <spargio/time.h>

#include <errno.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ENTRIES	 8
#define GROUP	 0
#define PAGE	 4096
#define PATIENCE SP_S

/* clang-format off */
static const struct {
	const char *name;
	const char *since;
} features[SP_FEATURES] = {
	[SP_FEATURE_MSG_RING]       = { "MSG_RING", "5.18" },
	[SP_FEATURE_DEFER_TASKRUN]  = { "DEFER_TASKRUN", "6.1" },
	[SP_FEATURE_NO_SQARRAY]     = { "NO_SQARRAY", "6.6" },
	[SP_FEATURE_BUFFER_RING]    = { "provided buffer rings", "5.19" },
	[SP_FEATURE_RECV_MULTISHOT] = { "multishot receive", "6.0" },
	[SP_FEATURE_RECV_BUNDLE]    = { "receive bundles", "6.10" },
	[SP_FEATURE_NO_IOWAIT]      = { "NO_IOWAIT", "6.15" },
};
/* clang-format on */

static uint32_t feature_bit(enum sp_feature feature, bool there)
{
	return there ? UINT32_C(1) << feature : 0;
}

/* Give the kernel one buffer: the ring and the buffer share a page. */
static bool provide_buffer(const struct sp__ring *ring, void *page)
{
	struct io_uring_buf_ring *buffers = page;
	struct io_uring_buf_reg reg = {
		.ring_addr = (uint64_t)(uintptr_t)page,
		.ring_entries = ENTRIES,
		.bgid = GROUP,
	};

	if (syscall(__NR_io_uring_register, ring->fd, IORING_REGISTER_PBUF_RING,
		    &reg, 1) < 0)
		return false;
	io_uring_buf_ring_init(buffers);
	io_uring_buf_ring_add(buffers, (char *)page + PAGE / 2, PAGE / 2, 0,
			      io_uring_buf_ring_mask(ENTRIES), 0);
	io_uring_buf_ring_advance(buffers, 1);
	return true;
}

/*
 * Receive one available byte; true if the multishot receive continues after it.
 */
static bool receives_more(struct sp__ring *ring, int fd)
{
	struct io_uring_sqe *sqe = sp__ring_sqe(ring);
	const struct io_uring_cqe *cqe;
	unsigned int head;

	if (sqe == NULL)
		return false;
	io_uring_prep_recv_multishot(sqe, fd, NULL, 0, 0);
	sqe->flags |= IOSQE_BUFFER_SELECT;
	sqe->buf_group = GROUP;
	(void)sp__ring_enter(ring, 1, PATIENCE);
	if (!sp__ring_has_cqe(ring))
		return false;
	head = atomic_load_explicit(ring->cq_head, memory_order_relaxed);
	cqe = &ring->cqes[head & ring->cq_mask];
	return cqe->res == 1 && cqe->flags & IORING_CQE_F_MORE;
}

static bool try_recv(struct sp__ring *ring)
{
	int pair[2];
	bool there = false;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return false;
	if (write(pair[0], "x", 1) == 1)
		there = receives_more(ring, pair[1]);
	close(pair[0]);
	close(pair[1]);
	return there;
}

static uint32_t try_receiving(struct sp__ring *ring, void *page)
{
	bool buffers = provide_buffer(ring, page);
	bool multishot = buffers && try_recv(ring);
	bool bundle = multishot && ring->features & SP__FEAT_RECVSEND_BUNDLE;

	return feature_bit(SP_FEATURE_BUFFER_RING, buffers) |
	       feature_bit(SP_FEATURE_RECV_MULTISHOT, multishot) |
	       feature_bit(SP_FEATURE_RECV_BUNDLE, bundle);
}

void sp_probe_get(struct sp_probe *out)
{
	struct sp_opts opts = { .ring_entries = ENTRIES,
				.cq_entries = 2 * ENTRIES };
	struct sp__ring ring;
	void *page;

	*out = (struct sp_probe){ .error = sp__ring_open(&ring, &opts, 0) };
	if (out->error < 0)
		return;
	out->features = feature_bit(SP_FEATURE_MSG_RING,
				    sp__ring_knows(&ring, IORING_OP_MSG_RING)) |
			feature_bit(SP_FEATURE_DEFER_TASKRUN,
				    ring.setup & IORING_SETUP_DEFER_TASKRUN) |
			feature_bit(SP_FEATURE_NO_SQARRAY,
				    ring.setup & SP__SETUP_NO_SQARRAY) |
			feature_bit(SP_FEATURE_NO_IOWAIT,
				    ring.features & SP__FEAT_NO_IOWAIT);
	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page != MAP_FAILED)
		out->features |= try_receiving(&ring, page);
	sp__ring_leave(&ring);
	sp__ring_close(&ring);
	if (page != MAP_FAILED)
		munmap(page, PAGE);
}

const char *sp_feature_name(enum sp_feature feature)
{
	return features[feature].name;
}

const char *sp_feature_since(enum sp_feature feature)
{
	return features[feature].since;
}
