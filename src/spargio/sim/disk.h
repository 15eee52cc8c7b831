/*
 * spargio/sim/disk.h - the disk of a simulated host
 */
#ifndef SPARGIO_SIM_DISK_H
#define SPARGIO_SIM_DISK_H

#include "spargio/sim/world.h"

int sp__sim_disk_new(struct sp_sim_host *host);
void sp__sim_disk_free(struct sp_sim_host *host);
/* The power fails: changes that were not synced are lost, see inode.h. */
void sp__sim_disk_crash(struct sp_sim_host *host);

/* True if the disk executes the opcode. */
bool sp__sim_disk_knows(uint8_t opcode);
/* Execute @op at a later virtual time. */
void sp__sim_disk_start(struct sp_sim_host *host, struct sp__op *op);

#endif
