/*
 * Writes the tables of docs/attributes.md from the table of path attributes.
 * tools/attribute-docs.sh puts them into the tree; a test compares.
 */
#include "bmp/attr.h"
#include "bmp/attr_row.h"
#include "bmp/capability.h"
#include "bmp/community.h"
#include "bmp/family.h"
#include "bmp/names.h"
#include "bmp/nlri_fields.h"
#include "bmp/nlri_ops.h"

#include <stdio.h>
#include <string.h>

static const char *flags_words(const struct bgp_attr_row *row)
{
	if (row->decode == NULL)
		return "";
	if (!(row->flags & BGP_ATTR_OPTIONAL))
		return "well-known";
	return row->flags & BGP_ATTR_TRANSITIVE ? "optional transitive"
						: "optional";
}

static void put_fields(const struct value_field *f)
{
	const char *between = "";

	for (; f->form != VALUE_END; f++) {
		if (f->name == NULL)
			continue;
		printf("%s`%s`", between, f->name);
		between = ", ";
	}
}

static void put_shown(const struct bgp_attr_row *row)
{
	if (row->member != BGP_MEMBER_NONE)
		printf("member");
	else if (row->layout == NULL)
		printf("bytes");
	else if (row->layout[0].form == VALUE_CUSTOM)
		printf("`fields`");
	else
		put_fields(row->layout);
}

static bool same_fields(const struct value_field *a,
			const struct value_field *b)
{
	for (; a->form == b->form && a->form != VALUE_END; a++, b++)
		if (a->len != b->len || a->optional != b->optional ||
		    a->tlvs != b->tlvs || a->record != b->record ||
		    a->custom != b->custom ||
		    (a->name == NULL) != (b->name == NULL) ||
		    (a->name != NULL && strcmp(a->name, b->name) != 0))
			return false;
	return a->form == b->form;
}

/* Whether another table, printed before, has the same row. */
static bool is_printed(const struct tlv_row *row,
		       const struct tlv_layout *before)
{
	for (size_t i = 0; before != NULL && i < before->count; i++)
		if (before->rows[i].type == row->type &&
		    same_fields(before->rows[i].fields, row->fields))
			return true;
	return false;
}

/* Of tables that share rows, @first and the one @before were printed. */
static void put_tlvs(const char *path, const struct value_field *f,
		     const struct tlv_layout *first,
		     const struct tlv_layout *before)
{
	for (; f->form != VALUE_END; f++) {
		if (f->tlvs == NULL)
			continue;
		for (size_t i = 0; i < f->tlvs->count; i++) {
			const struct tlv_row *row = &f->tlvs->rows[i];
			char inner[128];

			if (is_printed(row, first) || is_printed(row, before))
				continue;
			printf("| %s | %u | `%s` | ", path, row->type,
			       row->name);
			put_fields(row->fields);
			printf(" |\n");
			snprintf(inner, sizeof(inner), "%s, %u", path,
				 row->type);
			/* Tunnels of all types share most sub-TLVs. */
			put_tlvs(inner, row->fields,
				 i > 0 ? f->tlvs->rows[0].fields[0].tlvs : NULL,
				 i > 0 ? row[-1].fields[0].tlvs : NULL);
		}
	}
}

static void put_ipv6_ext_communities(void)
{
	struct bgp_ipv6_ext_community_row row;

	printf("\n## IPv6 extended communities\n\n"
	       "| type | text begins with | reference |\n|---|---|---|\n");
	for (size_t i = 0; bgp_ipv6_ext_community_row(i, &row); i++)
		printf("| %04x | `%s` | %s |\n", row.type, row.name,
		       row.reference);
}

static void put_capability_fields(const struct value_field *f)
{
	const char *between = "";

	for (; f->form != VALUE_END; f++) {
		if (f->form == VALUE_SKIP)
			continue;
		printf("%s", between);
		between = ", ";
		printf("`%s`", f->name);
		if (f->form == VALUE_RECORDS) {
			printf(": ");
			put_capability_fields(f->record);
		}
	}
}

static void put_ext_communities(void)
{
	struct bgp_ext_community_row row;

	printf("\n## Extended communities\n\n"
	       "| type | text begins with | reference |\n|---|---|---|\n");
	for (size_t i = 0; bgp_ext_community_row(i, &row); i++)
		printf("| %02x/%02x | `%s` | %s |\n", row.type_high,
		       row.type_low, row.name, row.reference);
}

static void put_capabilities(void)
{
	printf("\n## Capabilities\n\n"
	       "| code | name | reference | fields |\n|---|---|---|---|\n");
	for (unsigned code = 0; code < 256; code++) {
		const struct bgp_capability_row *row = bgp_capability_row(code);

		if (row == NULL)
			continue;
		printf("| %u | `%s` | %s | ", code, row->name, row->reference);
		if (row->layout != NULL)
			put_capability_fields(row->layout);
		printf(" |\n");
	}
}

static void put_families(void)
{
	printf("\n## Families\n\n"
	       "| AFI | SAFI | name | NLRI |\n|---|---|---|---|\n");
	for (enum bgp_family f = BGP_FAMILY_UNKNOWN + 1; f < BGP_FAMILIES;
	     f++) {
		const struct bgp_family_info *info = bgp_family_info(f);

		printf("| %u | %u | `%s` | %s |\n", info->afi, info->safi,
		       info->name, bgp_nlri_kind_name(info->kind));
	}
}

/* Fields that only come with a route, and do not identify it, in italics. */
static void put_nlri(void)
{
	printf("\n## NLRI\n\n"
	       "| NLRI | type | name | fields |\n|---|---|---|---|\n");
	for (unsigned kind = 0; kind < BGP_NLRI_KINDS; kind++) {
		const struct nlri_layouts *all = bgp_nlri_ops[kind]->layouts;

		for (size_t t = 0; all != NULL && t < all->count; t++) {
			const struct nlri_field_def *f = all->rows[t].fields;
			const char *between = "";

			if (all->rows[t].name == NULL)
				continue;
			printf("| %s | %zu | `%s` | ", bgp_nlri_kind_name(kind),
			       t, all->rows[t].name);
			for (; f->form != NLRI_FIELD_END; f++) {
				printf("%s%s`%s`%s", between, f->key ? "" : "*",
				       f->name, f->key ? "" : "*");
				between = ", ";
			}
			printf(" |\n");
		}
	}
	printf("\n| in | type | name | fields |\n|---|---|---|---|\n");
	put_tlvs("link-state", bgp_link_state_nlri, NULL, NULL);
}

int main(void)
{
	printf("| type | name | reference | flags | malformed | shown as |\n"
	       "|---|---|---|---|---|---|\n");
	for (unsigned code = 0; code < 256; code++) {
		const struct bgp_attr_row *row = &bgp_attr_rows[code];

		if (row->name == NULL)
			continue;
		printf("| %u | `%s` | %s | %s | %s | ", code, row->name,
		       row->reference != NULL ? row->reference : "deprecated",
		       flags_words(row),
		       row->decode != NULL ? bgp_verdict_name(row->bad_value)
					   : "");
		put_shown(row);
		printf(" |\n");
	}
	printf("\n| in | type | name | fields |\n|---|---|---|---|\n");
	for (unsigned code = 0; code < 256; code++)
		if (bgp_attr_rows[code].layout != NULL)
			put_tlvs(bgp_attr_rows[code].name,
				 bgp_attr_rows[code].layout, NULL, NULL);
	put_ext_communities();
	put_ipv6_ext_communities();
	put_capabilities();
	put_families();
	put_nlri();
	return 0;
}
