/* What each capability says; the row names the reference for its bytes. */
#include "check.h"
#include "field_text.h"

#include "bmp/capability.h"
#include "bmp/tlv.h"

#include <stdio.h>
#include <string.h>

struct capability_case {
	uint8_t code;
	const uint8_t *in;
	size_t len;
	const char *want; /* behind the bytes */
};

static const struct capability_case cases[] = {
	/* clang-format off */
	{ 1, BYTES(0, 25, 0, 70), "multiprotocol fields={afi=25 safi=70}" },
	{ 1, BYTES(0, 25, 0), "multiprotocol" },
	{ 2, NULL, 0, "route-refresh" },
	{ 3, BYTES(0, 1, 0, 1, 2, 64, 1, 65, 2, 0, 2, 0, 1, 1, 64, 3), "outbound-route-filtering fields={filters=[{afi=1 safi=1 orfType=64 direction=receive} {afi=1 safi=1 orfType=65 direction=send} {afi=2 safi=1 orfType=64 direction=both}]}" },
	{ 3, BYTES(0, 1, 0, 1, 2, 64, 1), "outbound-route-filtering" },
	{ 4, NULL, 0, "multiple-routes-to-a-destination" },
	{ 5, BYTES(0, 1, 0, 1, 0, 2), "extended-next-hop fields={families=[{afi=1 safi=1 nextHopAfi=2}]}" },
	{ 6, NULL, 0, "extended-message" },
	{ 7, BYTES(0x08, 0, 2), "bgpsec fields={version=0 direction=send afi=2}" },
	{ 8, BYTES(0, 1, 4, 2, 0, 2, 4, 3), "multiple-labels fields={families=[{afi=1 safi=4 count=2} {afi=2 safi=4 count=3}]}" },
	{ 8, BYTES(0, 1, 4, 2, 0), "multiple-labels" },
	{ 9, BYTES(2), "role fields={role=route-server-client}" },
	{ 9, BYTES(7), "role fields={role=7}" },
	{ 64, BYTES(0xc0, 120, 0, 1, 1, 0x80), "graceful-restart fields={flags=0x0c restartTime=120 families=[{afi=1 safi=1 flags=0x80}]}" },
	{ 64, BYTES(0x01, 0x2c), "graceful-restart fields={flags=0x00 restartTime=300 families=[]}" },
	{ 65, BYTES(0, 1, 0, 0), "four-byte-as fields={asn=65536}" },
	{ 66, NULL, 0, "dynamic-capability-prestandard" },
	{ 67, BYTES(1, 69), "dynamic-capability fields={codes=[1 69]}" },
	{ 68, BYTES(0x80, 1, 2), "multisession fields={flags=0x80 sessionIds=[1 2]}" },
	{ 69, BYTES(0, 1, 1, 3, 0, 2, 1, 2), "add-path fields={families=[{afi=1 safi=1 direction=both} {afi=2 safi=1 direction=send}]}" },
	{ 70, NULL, 0, "enhanced-route-refresh" },
	{ 71, BYTES(0, 1, 1, 0x80, 1, 0, 0), "long-lived-graceful-restart fields={families=[{afi=1 safi=1 flags=0x80 staleTime=65536}]}" },
	{ 72, BYTES(0x40, 0x0e, 75, 1), "routing-policy-distribution fields={families=[{afi=16398 safi=75 direction=receive}]}" },
	{ 73, BYTES(2, 'r', '1', 3, 'a', '.', 'b'), "fqdn fields={hostname='r1' domain='a.b'}" },
	{ 73, BYTES(2, 'r'), "fqdn" },
	{ 74, NULL, 0, "bfd-strict-mode" },
	{ 75, BYTES(3, 'F', 'R', 'R'), "software-version fields={softwareVersion='FRR'}" },
	{ 75, BYTES(3, 'F', 'R'), "software-version" },
	{ 76, BYTES(0, 1, 1, 1, 0), "paths-limit fields={families=[{afi=1 safi=1 limit=256}]}" },
	{ 77, NULL, 0, "link-local-next-hop" },
	{ 128, NULL, 0, "route-refresh-prestandard" },
	{ 129, NULL, 0, "routing-policy-distribution-prestandard" },
	{ 130, BYTES(0, 1, 0, 1, 1, 128, 3), "outbound-route-filtering-prestandard fields={filters=[{afi=1 safi=1 orfType=128 direction=both}]}" },
	{ 131, BYTES(0, 1), "multisession-prestandard fields={flags=0x00 sessionIds=[1]}" },
	{ 184, BYTES(1), "unknown" },
	/* clang-format on */
};

static void test_values(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct tlv capability = {
			.type = cases[i].code,
			.value = { cases[i].in, cases[i].len },
		};
		struct field_text got = { .len = 0 };
		struct field_writer w = field_text_writer(&got);
		char *fields, want[512], name[512];

		bgp_capability_write(&capability, &w);
		/* The bytes are there, too; compare the rest. */
		fields = strstr(got.line, "value=");
		assert_non_null(fields);
		snprintf(name, sizeof(name), "%.*s", (int)(fields - got.line),
			 got.line);
		fields = strchr(fields, ' ');
		snprintf(want, sizeof(want), "code=%u name=%s", cases[i].code,
			 cases[i].want);
		snprintf(name + strlen(name), sizeof(name) - strlen(name), "%s",
			 fields != NULL ? fields + 1 : "");
		while (name[0] != '\0' && name[strlen(name) - 1] == ' ')
			name[strlen(name) - 1] = '\0';
		assert_string_equal(name, want);
	}
}

/* A new row has a case above. */
static void test_every_row_has_a_case(void **state)
{
	(void)state;
	for (unsigned code = 0; code < 256; code++) {
		bool found = false;

		for (size_t i = 0; i < COUNT(cases); i++)
			found |= cases[i].code == code;
		CHECK(found || bgp_capability_row(code) == NULL,
		      "capability %u has no case", code);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_every_row_has_a_case),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
