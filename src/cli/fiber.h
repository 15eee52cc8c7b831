/*
 * cli/fiber.h - a command whose work yields
 */
#ifndef CLI_FIBER_H
#define CLI_FIBER_H

/* Run @work, which returns the exit code, in a fiber. The exit code. */
int fiber_main(const char *command, int (*work)(void *arg), void *arg);

#endif
