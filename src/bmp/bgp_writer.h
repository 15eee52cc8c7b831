/*
 * bmp/bgp_writer.h - write BGP messages, which are parts of BMP messages
 *
 * As in bmp/writer.h, the input is the structs that the decoder fills. The
 * attributes of an UPDATE come from a struct bgp_attrs: each code for which
 * bgp_attrs_has() is true is written, in ascending order of codes. The value is
 * that of the member; if the attribute has no member, it is copied from
 * bgp_attrs.block.
 */
#ifndef BMP_BGP_WRITER_H
#define BMP_BGP_WRITER_H

#include "bmp/open.h"
#include "bmp/update.h"
#include "bmp/writer.h"

/*
 * Write an OPEN with version, my_as, hold_time, bgp_id, and a capability for
 * each other member that is set. The optional parameters have the long form of
 * RFC 9072 if long_parameters is set or if they are too long for the short
 * form. The member parameters is ignored.
 */
void bgp_write_open(struct bmp_writer *w, const struct bgp_open *open);

void bgp_write_notification(struct bmp_writer *w, uint8_t code, uint8_t subcode,
			    struct wire_view data);

/*
 * Routes of one part. Only members that are part of the encoded NLRI are used.
 */
struct bgp_routes {
	const struct bgp_nlri *nlri;
	size_t n;
};

struct bgp_update_parts {
	/*
	 * NULL = no attributes. If MP_REACH or MP_UNREACH is set, the members
	 * reach and unreach give AFI, SAFI and next hop; their nlri is ignored.
	 */
	const struct bgp_attrs *attrs;
	struct bgp_routes nlri_parts[BGP_PARTS];
};

void bgp_write_update(struct bmp_writer *w,
		      const struct bgp_update_parts *parts);

/* Write an End-of-RIB in the form that RFC 4724 requires for the family. */
void bgp_write_end_of_rib(struct bmp_writer *w, uint16_t afi, uint8_t safi);

/* Write one NLRI, with the path id before it if has_path_id is set. */
void bgp_write_nlri(struct bmp_writer *w, const struct bgp_nlri *n);

#endif
