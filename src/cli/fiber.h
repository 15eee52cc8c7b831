/*
 * cli/fiber.h - run a command in a fiber
 */
#ifndef CLI_FIBER_H
#define CLI_FIBER_H

/*
 * Start a runtime with one fiber that runs @work, and wait for it. Returns the
 * result of @work, an exit code.
 */
int fiber_main(const char *command, int (*work)(void *arg), void *arg);

#endif
