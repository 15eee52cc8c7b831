/*
 * collector/http/static_files.h - the dashboard's files, built into the program
 *
 * tools/embed-pages.sh makes the table from web/.
 */
#ifndef COLLECTOR_HTTP_STATIC_FILES_H
#define COLLECTOR_HTTP_STATIC_FILES_H

#include <stddef.h>

struct static_file {
	const char *path; /* path, for example "/index.html" */
	const char *type;
	const char *etag; /* value of the header ETag, with its quotes */
	const unsigned char *bytes;
	size_t len;
	const unsigned char *packed; /* content compressed with gzip */
	size_t packed_len;
};

extern const struct static_file pages[];
extern const size_t page_count;

#endif
