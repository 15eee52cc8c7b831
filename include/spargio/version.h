/*
 * spargio/version.h - the version of the headers and of the library
 *
 * Before 1.0.0 a new minor version may change the interface. So each minor
 * version has its own shared library name (soname), such as libspargio.so.0.1.
 */
#ifndef SPARGIO_VERSION_H
#define SPARGIO_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif

#define SP_VERSION_MAJOR 0
#define SP_VERSION_MINOR 1
#define SP_VERSION_PATCH 0

/* For #if: SP_VERSION_NUMBER >= SP_VERSION_MAKE(0, 1, 0) */
#define SP_VERSION_MAKE(major, minor, patch) \
	((major)*1000000 + (minor)*1000 + (patch))
#define SP_VERSION_NUMBER \
	SP_VERSION_MAKE(SP_VERSION_MAJOR, SP_VERSION_MINOR, SP_VERSION_PATCH)

#define SP__VERSION_TEXT_OF(a, b, c) #a "." #b "." #c
#define SP__VERSION_TEXT(a, b, c)    SP__VERSION_TEXT_OF(a, b, c)
/* The version as text: "0.1.0" */
#define SP_VERSION \
	SP__VERSION_TEXT(SP_VERSION_MAJOR, SP_VERSION_MINOR, SP_VERSION_PATCH)

/* The version of the library that the program runs with. Never fails. */
const char *sp_version(void);

#ifdef __cplusplus
}
#endif

#endif
