/*
 * spargio/fs/dir.h - open a directory with extra flags
 */
#ifndef SPARGIO_FS_DIR_H
#define SPARGIO_FS_DIR_H

#include <spargio/dir.h>

/* sp_dir_open() with more flags of open(2). */
int sp__dir_open(int dir, const char *path, int flags, struct sp_dir **out);

#endif
