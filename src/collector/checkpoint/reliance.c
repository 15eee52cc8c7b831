#include "collector/checkpoint/reliance.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

size_t reliance_end_mark(const struct log_position *mark,
			 struct record_id record, char out[RELIANCE_END_MAX])
{
	size_t len = log_position_format(mark, out);

	if (record.epoch == 0)
		return len;
	out[len++] = ' ';
	record_id_format(record, out + len);
	return len + strlen(out + len);
}

struct record_id reliance_of_end_mark(struct wire_view text)
{
	static const struct record_id none;
	char word[MESSAGE_ID_MAX];
	struct record_id record;
	size_t begin = text.len;

	if (text.len == 0)
		return none;
	while (begin > 0 && text.p[begin - 1] != ' ')
		begin--;
	if (text.len - begin >= sizeof(word))
		return none;
	memcpy(word, text.p + begin, text.len - begin);
	word[text.len - begin] = '\0';
	/*
	 * An end mark without a record ends with another word, which is not a
	 * record.
	 */
	return record_id_parse(word, &record) ? record : none;
}

/*
 * True if @record directly follows @before. Sequences continue over the epochs
 * of a run and begin at 1 in the next run. The stream may have only a part of
 * its last record.
 */
static bool is_next(struct record_id before, struct record_id record)
{
	if (before.upto != 0)
		return record_id_same_record(before, record);
	return (record.epoch >= before.epoch && record.seq == before.seq + 1) ||
	       (record.epoch > before.epoch && record.seq <= 1);
}

int reliance_add_spooled(struct reliance *r, struct record_id record)
{
	struct record_id *end = r->count == 0 ? NULL : &r->ends[r->count - 1];
	struct record_id *more;

	if (r->gap || (r->has_last && record_id_compare(record, r->last) <= 0))
		return 0;
	if (end != NULL)
		r->gap = !is_next(*end, record);
	else if (r->has_last)
		r->gap = !is_next(r->last, record);
	if (r->gap)
		return 0;
	if (end != NULL && end->epoch == record.epoch) {
		*end = record;
		return 0;
	}
	more = realloc(r->ends, (r->count + 1) * sizeof(*more));
	if (more == NULL)
		return -ENOMEM;
	r->ends = more;
	r->ends[r->count++] = record;
	return 0;
}

void reliance_release(struct reliance *r)
{
	free(r->ends);
	*r = (struct reliance){ .ends = NULL };
}

bool reliance_is_held(const struct reliance *r, struct record_id record)
{
	if (record.epoch == 0 ||
	    (r->has_last && record_id_compare(record, r->last) <= 0))
		return true;
	/*
	 * Compare within the same epoch. A record of a later epoch does not
	 * prove that all records of this epoch existed.
	 */
	for (size_t i = 0; i < r->count; i++)
		if (r->ends[i].epoch == record.epoch)
			return r->ends[i].seq >= record.seq;
	return false;
}
