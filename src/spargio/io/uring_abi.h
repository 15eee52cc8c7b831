/*
 * spargio/io/uring_abi.h - the constants that liburing 2.3 does not know yet
 *
 * Values as in the kernel's include/uapi/linux/io_uring.h.
 */
#ifndef SPARGIO_IO_URING_ABI_H
#define SPARGIO_IO_URING_ABI_H

#include <liburing.h>

#define SP__SETUP_NO_SQARRAY (1U << 16) /* Linux 6.6 */

#define SP__ENTER_NO_IOWAIT (1U << 7) /* Linux 6.15 */
#define SP__FEAT_NO_IOWAIT  (1U << 17)

#define SP__OP_FTRUNCATE 55 /* Linux 6.9 */

#define SP__REGISTER_SEND_MSG_RING 31 /* Linux 6.13 */

#define SP__FEAT_RECVSEND_BUNDLE (1U << 14) /* Linux 6.10 */
#define SP__RECVSEND_BUNDLE	 (1U << 4)

#endif
