/*
 * bmp/names.h - names for the numbers of this layer
 *
 * For people and for labels of metrics: lower case, words joined by "-". The
 * functions never return NULL; the name of an unknown number is "unknown".
 */
#ifndef BMP_NAMES_H
#define BMP_NAMES_H

#include <stdint.h>

const char *bmp_frame_status_name(unsigned status);
const char *bmp_type_name(unsigned type);
const char *bmp_status_name(unsigned status);
const char *bmp_peer_type_name(unsigned type);
const char *bmp_view_name(unsigned view);
const char *bmp_down_reason_name(unsigned reason);
const char *bmp_term_reason_name(unsigned reason);
const char *bmp_stat_name(unsigned type);
const char *bmp_mirror_information_name(unsigned code);
/*
 * draft-ietf-grow-bmp-path-marking-tlv; @bit is the number of the bit, from 0
 */
const char *bmp_path_status_name(unsigned bit);
const char *bmp_path_reason_name(unsigned reason);

const char *bgp_pdu_type_name(unsigned type);
const char *bgp_open_status_name(unsigned status);
/* Error codes of a NOTIFICATION, as in the IANA registry. */
const char *bgp_error_name(unsigned code);
const char *bgp_error_subcode_name(unsigned code, unsigned subcode);
/* RFC 4271 8.1 */
const char *bgp_fsm_event_name(unsigned event);
const char *bgp_capability_name(unsigned code);
const char *bgp_attr_name(unsigned code);
const char *bgp_verdict_name(unsigned verdict);
const char *bgp_fault_name(unsigned fault);
const char *bgp_nlri_kind_name(unsigned kind);

#endif
