/*
 * Compare, copy and free values.
 */
#include "collector/config/value.h"

#include "collector/base/secret_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static size_t size_of(enum config_type type)
{
	static const size_t sizes[CONFIG_TYPES] = {
		[CONFIG_BOOL] = sizeof(bool),
		[CONFIG_NUMBER] = sizeof(uint64_t),
		[CONFIG_SIZE] = sizeof(uint64_t),
		[CONFIG_TIME] = sizeof(int64_t),
		[CONFIG_CHOICE] = sizeof(int),
		[CONFIG_TEXT] = sizeof(char *),
		[CONFIG_PATH] = sizeof(char *),
		[CONFIG_ADDRESS] = sizeof(struct config_address),
		[CONFIG_ADDRESSES] = sizeof(struct config_addresses),
		[CONFIG_NETWORKS] = sizeof(struct acl_list),
		[CONFIG_TEXTS] = sizeof(struct config_texts),
		[CONFIG_RULES] = sizeof(struct filter),
		[CONFIG_FAMILIES] = sizeof(struct config_families),
		[CONFIG_SECRET] = sizeof(struct config_secret),
	};

	return sizes[type];
}

/* Releasing */

static void release_texts(struct config_texts *texts)
{
	for (size_t i = 0; i < texts->count; i++)
		free(texts->at[i]);
	free(texts->at);
}

static void release_secret(struct config_secret *secret)
{
	secret_free(secret->value);
	free(secret->path);
}

void config_value_release(const struct config_form *form, void *value)
{
	switch (form->type) {
	case CONFIG_TEXT:
	case CONFIG_PATH:
		free(*(char **)value);
		break;
	case CONFIG_ADDRESSES:
		free(((struct config_addresses *)value)->at);
		break;
	case CONFIG_NETWORKS:
		free(((struct acl_list *)value)->networks);
		break;
	case CONFIG_TEXTS:
		release_texts(value);
		break;
	case CONFIG_RULES:
		filter_release(value);
		break;
	case CONFIG_SECRET:
		release_secret(value);
		break;
	default:
		break;
	}
	memset(value, 0, size_of(form->type));
}

/* Comparing */

static bool same_text(const char *a, const char *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	return strcmp(a, b) == 0;
}

static bool same_address(const struct config_address *a,
			 const struct config_address *b)
{
	return a->set == b->set && a->port == b->port &&
	       memcmp(a->address, b->address, sizeof(a->address)) == 0;
}

static bool same_element(const struct config_form *form, const void *a,
			 const void *b, size_t i)
{
	const struct acl_list *list = a, *n = b;

	switch (form->type) {
	case CONFIG_ADDRESSES:
		return same_address(
			&((const struct config_addresses *)a)->at[i],
			&((const struct config_addresses *)b)->at[i]);
	case CONFIG_NETWORKS:
		return list->networks[i].len == n->networks[i].len &&
		       memcmp(list->networks[i].addr, n->networks[i].addr,
			      16) == 0;
	default:
		return same_text(((const struct config_texts *)a)->at[i],
				 ((const struct config_texts *)b)->at[i]);
	}
}

static bool same_list(const struct config_form *form, const void *a,
		      const void *b)
{
	size_t count = config_value_count(form, a);

	if (config_value_count(form, b) != count)
		return false;
	for (size_t i = 0; i < count; i++)
		if (!same_element(form, a, b, i))
			return false;
	return true;
}

bool config_value_equal(const struct config_form *form, const void *a,
			const void *b)
{
	const struct config_secret *s = a, *r = b;

	switch (form->type) {
	case CONFIG_TEXT:
	case CONFIG_PATH:
		return same_text(*(char *const *)a, *(char *const *)b);
	case CONFIG_ADDRESS:
		return same_address(a, b);
	case CONFIG_ADDRESSES:
	case CONFIG_NETWORKS:
	case CONFIG_TEXTS:
		return same_list(form, a, b);
	case CONFIG_RULES:
		return filter_equal(a, b);
	case CONFIG_SECRET:
		/*
		 * Two secrets with the same text are equal, even if they were
		 * read from different files.
		 */
		return same_text(s->value, r->value);
	default:
		return memcmp(a, b, size_of(form->type)) == 0;
	}
}

/* Copying */

static int copy_text(const char *from, char **to)
{
	*to = from != NULL ? strdup(from) : NULL;
	return from != NULL && *to == NULL ? -ENOMEM : 0;
}

static int copy_array(const void *from, size_t count, size_t size, void **to)
{
	if (count == 0)
		return 0;
	*to = reallocarray(NULL, count, size);
	if (*to == NULL)
		return -ENOMEM;
	memcpy(*to, from, count * size);
	return 0;
}

static int copy_texts(const struct config_texts *from, struct config_texts *to)
{
	to->at = calloc(from->count + 1, sizeof(*to->at));
	if (to->at == NULL)
		return -ENOMEM;
	for (; to->count < from->count; to->count++)
		if (copy_text(from->at[to->count], &to->at[to->count]) < 0)
			return -ENOMEM;
	return 0;
}

static int copy_secret(const struct config_secret *from,
		       struct config_secret *to)
{
	int err = copy_text(from->path, &to->path);

	if (err < 0 || from->value == NULL)
		return err;
	to->value = secret_copy(from->value, strlen(from->value));
	return to->value == NULL ? -ENOMEM : 0;
}

static int copy_into(const struct config_form *form, const void *from, void *to)
{
	const struct config_addresses *addresses = from;
	const struct acl_list *networks = from;
	void *made = NULL;
	int err;

	switch (form->type) {
	case CONFIG_TEXT:
	case CONFIG_PATH:
		return copy_text(*(char *const *)from, to);
	case CONFIG_ADDRESSES:
		err = copy_array(addresses->at, addresses->count,
				 sizeof(*addresses->at), &made);
		if (err == 0)
			*(struct config_addresses *)to =
				(struct config_addresses){ made,
							   addresses->count };
		return err;
	case CONFIG_NETWORKS:
		err = copy_array(networks->networks, networks->count,
				 sizeof(*networks->networks), &made);
		if (err == 0)
			*(struct acl_list *)to =
				(struct acl_list){ made, networks->count };
		return err;
	case CONFIG_TEXTS:
		return copy_texts(from, to);
	case CONFIG_RULES:
		return filter_copy(from, to);
	case CONFIG_SECRET:
		return copy_secret(from, to);
	default:
		memcpy(to, from, size_of(form->type));
		return 0;
	}
}

int config_value_copy(const struct config_form *form, const void *value,
		      void *out)
{
	int err;

	config_value_release(form, out);
	err = copy_into(form, value, out);
	if (err < 0)
		config_value_release(form, out);
	return err;
}
