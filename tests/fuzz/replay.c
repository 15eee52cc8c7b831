/*
 * Give a fuzz target a main() that runs saved inputs, so that every ordinary
 * build replays the corpus. Arguments are files, or folders of files.
 */
#include <dirent.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static int replay_file(const char *path, size_t size)
{
	FILE *f = fopen(path, "rb");
	/* Exactly as long as the input, so that ASan sees one byte beyond. */
	uint8_t *data = malloc(size ? size : 1);
	int err = 1;

	if (f != NULL && data != NULL && fread(data, 1, size, f) == size) {
		LLVMFuzzerTestOneInput(data, size);
		err = 0;
	} else {
		perror(path);
	}
	free(data);
	if (f != NULL)
		fclose(f);
	return err;
}

static int replay(const char *path, int *count);

static int replay_folder(const char *path, int *count)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	char child[PATH_MAX];
	int err = 0;

	if (dir == NULL) {
		perror(path);
		return 1;
	}
	while ((entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(child, sizeof(child), "%s/%s", path, entry->d_name);
		err |= replay(child, count);
	}
	closedir(dir);
	return err;
}

static int replay(const char *path, int *count)
{
	struct stat st;

	if (stat(path, &st) < 0) {
		perror(path);
		return 1;
	}
	if (S_ISDIR(st.st_mode))
		return replay_folder(path, count);
	(*count)++;
	return replay_file(path, (size_t)st.st_size);
}

int main(int argc, char **argv)
{
	int count = 0;
	int err = 0;

	for (int i = 1; i < argc; i++)
		err |= replay(argv[i], &count);
	printf("replayed %d inputs\n", count);
	/* An empty corpus would be a test that cannot fail. */
	return err || count == 0;
}
