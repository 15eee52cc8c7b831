/*
 * bmp/bgp_writer.h - write BGP messages to put into BMP ones
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
 * version, my_as, hold_time, bgp_id, and a capability for all that the other
 * members say. The long form of RFC 9072 if long_parameters asks for it or the
 * short one does not hold them. (parameters is not looked at.)
 */
void bgp_write_open(struct bmp_writer *w, const struct bgp_open *open);

void bgp_write_notification(struct bmp_writer *w, uint8_t code, uint8_t subcode,
			    struct wire_view data);

/* Routes of one part; only members that make the NLRI are looked at. */
struct bgp_routes {
	const struct bgp_nlri *nlri;
	size_t n;
};

struct bgp_update_parts {
	/*
	 * May be NULL: no attributes. With MP_REACH and MP_UNREACH, reach and
	 * unreach give AFI, SAFI and next hop; their nlri is not looked at.
	 */
	const struct bgp_attrs *attrs;
	struct bgp_routes nlri_parts[BGP_PARTS];
};

void bgp_write_update(struct bmp_writer *w,
		      const struct bgp_update_parts *parts);

/* End-of-RIB in the form RFC 4724 gives the family. */
void bgp_write_end_of_rib(struct bmp_writer *w, uint16_t afi, uint8_t safi);

/* One NLRI; the path id before it if has_path_id. */
void bgp_write_nlri(struct bmp_writer *w, const struct bgp_nlri *n);

#endif
