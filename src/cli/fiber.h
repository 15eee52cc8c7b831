/*
 * cli/fiber.h - run a command in a fiber
 */
#ifndef CLI_FIBER_H
#define CLI_FIBER_H

/* Run @work in a fiber and return its result, the exit code. */
int fiber_main(const char *command, int (*work)(void *arg), void *arg);

#endif
