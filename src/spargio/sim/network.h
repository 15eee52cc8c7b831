/*
 * spargio/sim/network.h - the simulated network
 */
#ifndef SPARGIO_SIM_NETWORK_H
#define SPARGIO_SIM_NETWORK_H

/* Replace the system calls of io/sys.h, in all threads of the process. */
void sp__sim_install_network(void);

#endif
