#include "bmp/nlri_key.h"

#include "bmp/nlri_ops.h"

size_t bgp_nlri_key(const struct bgp_nlri *n, uint8_t *out, size_t cap)
{
	struct nlri_sink s = { .p = out, .cap = cap };

	bgp_nlri_ops[n->kind]->key(&s, n);
	return s.len;
}

size_t bgp_nlri_value(const struct bgp_nlri *n, uint8_t *out, size_t cap)
{
	struct nlri_sink s = { .p = out, .cap = cap };

	if (n->withdrawn)
		return 0;
	bgp_nlri_ops[n->kind]->value(&s, n);
	return s.len;
}
