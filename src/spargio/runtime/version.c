#include <spargio/version.h>

const char *sp_version(void)
{
	return SP_VERSION;
}
