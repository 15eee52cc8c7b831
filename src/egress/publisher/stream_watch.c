#include "egress/publisher/stream_watch.h"

#include <string.h>

/*
 * The first sequence of a stream; if the stream has no messages, the server may
 * report 0 or 1.
 */
static uint64_t state_first(const struct nats_stream_state *s)
{
	return s->first_seq == 0 ? 1 : s->first_seq;
}

/*
 * The latest time at which the stream is known not to have had message @seq;
 * INT64_MIN if there is none.
 */
static int64_t sample_find(const struct stream_watch *w, uint64_t seq)
{
	int64_t at = INT64_MIN;

	if (w->newest.last_seq < seq)
		return w->newest.at;
	for (uint32_t i = 0; i < w->count; i++)
		if (w->samples[i].last_seq < seq && w->samples[i].at > at)
			at = w->samples[i].at;
	return at;
}

static bool age_explains(const struct stream_watch *w,
			 const struct stream_look *look, uint64_t missing)
{
	int64_t stored = sample_find(w, missing);

	if (look->state.max_age_ns <= 0)
		return false;
	return stored == INT64_MIN ||
	       look->answered_ns - stored >= look->state.max_age_ns;
}

static bool size_explains(const struct stream_look *look)
{
	const struct nats_stream_state *s = &look->state;

	if (s->max_msgs > 0 && s->messages >= (uint64_t)s->max_msgs)
		return true;
	return s->max_bytes > 0 &&
	       s->bytes + look->max_message > (uint64_t)s->max_bytes;
}

static bool limits_explain(const struct stream_watch *w,
			   const struct stream_look *look)
{
	return size_explains(look) ||
	       age_explains(w, look, state_first(&look->state) - 1);
}

static void sample_push(struct stream_watch *w, struct stream_watch_sample one)
{
	if (w->count == STREAM_WATCH_SAMPLES) {
		memmove(w->samples, w->samples + 1,
			sizeof(w->samples[0]) * (STREAM_WATCH_SAMPLES - 1));
		w->count--;
	}
	w->samples[w->count++] = one;
}

/*
 * The sample of the first look. By the server's times, the span from the first
 * to the last message is known. The last message was stored after began_ns, so
 * no present message was stored earlier than that span before began_ns. The two
 * clocks need not agree.
 */
static void sample_first(struct stream_watch *w, const struct stream_look *look)
{
	const struct nats_stream_state *s = &look->state;

	if (s->messages == 0 || s->first_ns <= 0 || s->last_ns < s->first_ns)
		return;
	if (s->last_ns - s->first_ns > INT64_MAX / 2)
		return; /* no stream has messages of such a span */
	sample_push(w, (struct stream_watch_sample){
			       look->began_ns - (s->last_ns - s->first_ns),
			       state_first(s) - 1 });
}

static void look_remember(struct stream_watch *w,
			  const struct stream_look *look)
{
	struct stream_watch_sample now = { look->asked_ns,
					   look->state.last_seq };
	int64_t space = look->state.max_age_ns / STREAM_WATCH_SAMPLES;

	if (w->count == 0 || now.at - w->samples[w->count - 1].at >= space)
		sample_push(w, now);
	w->newest = now;
	w->last = look->state;
	w->known = true;
}

enum stream_watch_result stream_watch_look(struct stream_watch *w,
					   const struct stream_look *look)
{
	enum stream_watch_result result = STREAM_WATCH_UNCHANGED;
	const struct nats_stream_state *s = &look->state;
	bool replaced = w->known && s->created_ns != w->last.created_ns;

	/*
	 * A stream that was reset to an earlier state is treated as another
	 * stream.
	 */
	if (!w->known || replaced || s->last_seq < w->last.last_seq) {
		*w = (struct stream_watch){ .known = false };
		sample_first(w, look);
	} else if ((state_first(s) > state_first(&w->last) &&
		    !limits_explain(w, look)) ||
		   s->deleted > w->last.deleted) {
		result = STREAM_WATCH_REMOVED;
	}
	look_remember(w, look);
	return replaced ? STREAM_WATCH_REPLACED : result;
}

struct stream_extent stream_watch_extent(const struct stream_watch *w)
{
	const struct nats_stream_state *s = &w->last;

	if (!w->known)
		return (struct stream_extent){ .created_ns = 0 };
	return (struct stream_extent){
		.created_ns = s->created_ns,
		.first_seq = state_first(s),
		.last_seq = s->last_seq,
		.deleted = s->deleted,
		.first_ns = s->first_ns > 0 ? s->first_ns : 0,
		.last_ns = s->last_ns > 0 ? s->last_ns : 0,
	};
}

/*
 * True if max_age may be the reason why the front is missing. stored: the
 * newest missing message was stored after this time of the server.
 */
static bool age_explains_since(const struct stream_extent *before,
			       const struct nats_stream_state *s)
{
	int64_t stored = state_first(s) - 1 >= before->last_seq
				 ? before->last_ns
				 : before->first_ns;

	if (s->max_age_ns <= 0)
		return false;
	/* Also true if the times are not known, or a clock was set back. */
	return stored == 0 || s->last_ns < stored ||
	       s->last_ns - stored >= s->max_age_ns;
}

bool stream_watch_removed_since(const struct stream_extent *before,
				const struct stream_look *look)
{
	const struct nats_stream_state *s = &look->state;

	/*
	 * Another stream, or a stream that was reset, is noticed by comparing
	 * log positions.
	 */
	if (before->created_ns == 0 || before->created_ns != s->created_ns ||
	    s->last_seq < before->last_seq)
		return false;
	if (s->deleted > before->deleted)
		return true;
	return state_first(s) > before->first_seq && !size_explains(look) &&
	       !age_explains_since(before, s);
}
