#include "collector/ingest/admission.h"

#include "collector/collector_env.h"
#include "collector/config/router_settings.h"
#include "collector/ingest/identify.h"
#include "collector/worker_state.h"

#include <spargio/file.h>

#include <errno.h>
#include <stdlib.h>

static enum close_reason admission_check(struct worker *w,
					 struct connection *connection)
{
	bool configured =
		connection->ended != NULL ||
		config_router_is_configured(w->config, connection->address,
					    connection->port);

	if (!worker_permits(w, connection->address))
		return CLOSE_DENIED;
	switch (limits_admit(w->env->limits, connection->address, configured,
			     connection->fd, &connection->place)) {
	case LIMITS_ADMIT:
		return CLOSE_NONE;
	case LIMITS_ADDRESS_FULL:
		return CLOSE_MAX_SESSIONS_PER_IP;
	default:
		return CLOSE_MAX_SESSIONS;
	}
}

int admission_refuse(struct worker *w, int fd, const uint8_t address[16],
		     uint16_t port, enum close_reason why)
{
	w->counts.close_reasons[why]++;
	connection_log_refusal(w, address, port, why);
	sp_close(fd);
	return -EPERM;
}

int admission_admit(struct worker *w, struct connection *connection)
{
	enum close_reason why = admission_check(w, connection);

	if (why != CLOSE_NONE) {
		int err =
			admission_refuse(w, connection->fd, connection->address,
					 connection->port, why);

		free(connection->early);
		free(connection);
		return err;
	}
	connection_set_keepalive(connection, KEEPALIVE_NORMAL);
	identify_start(w, connection);
	return 0;
}
