/*
 * rib/table_fsm.h - the states of a table
 *
 * The phase says where the table is between two dumps of its router:
 *
 *	       DUMP_STARTED            DUMP_ENDED
 *	IDLE -----------------> SYNCING ----------> SWEEPING
 *	 ^ ^                     |   ^               |    |
 *	 | | DUMP_CUT, WITHDRAWN |   | DUMP_STARTED  |    |
 *	 | +---------------------+   +---------------+    |
 *	 |                                SWEPT, WITHDRAWN |
 *	 +------------------------------------------------+
 *
 * The quality says what may be missing in the table:
 *
 *	any      -- DUMP_STARTED --> WHOLE
 *	WHOLE    -- UNREADABLE ----> SUSPECT
 *	WHOLE    -- DROPPED -------> UNKNOWN
 *	SUSPECT  -- DROPPED -------> SUSPECT_UNKNOWN
 *	UNKNOWN  -- UNREADABLE ----> SUSPECT_UNKNOWN
 *
 * An event that is not drawn leaves the state as it is. Only a dump from which
 * nothing was dropped proves that a route is gone: the dump of a table that is
 * UNKNOWN or SUSPECT_UNKNOWN ends with DUMP_CUT.
 *
 * The form says how sure it is whether the NLRI of the table have path
 * identifiers: see rib/add_path.h. Messages are examined while it is UNKNOWN or
 * DOUBTED.
 *
 *	any        -- DUMP_STARTED --> UNKNOWN
 *	UNKNOWN    -- GIVEN ---------> GIVEN
 *	DOUBTED    -- GIVEN ---------> CONFIRMED
 *	any        -- CONFIRMED -----> CONFIRMED
 *	UNKNOWN    -- CONTRADICTED --> CONFIRMED, the other form
 *	GIVEN      -- CONTRADICTED --> CONFIRMED, the other form
 *	CONFIRMED  -- CONTRADICTED --> DOUBTED
 *	any        -- OUTWEIGHED ----> CONFIRMED, the other form
 */
#ifndef RIB_TABLE_FSM_H
#define RIB_TABLE_FSM_H

#include <stdbool.h>
#include <stdint.h>

enum rib_table_phase {
	RIB_TABLE_IDLE,
	RIB_TABLE_SYNCING,  /* End-of-RIB or its timer is to come */
	RIB_TABLE_SWEEPING, /* routes of older generations are withdrawn */
	RIB_TABLE_PHASES
};

/* Two bits, so that each can be asked for. */
enum rib_table_quality {
	RIB_TABLE_WHOLE = 0,
	RIB_TABLE_SUSPECT = 1, /* part of a message could not be read */
	RIB_TABLE_UNKNOWN = 2, /* updates were dropped */
	RIB_TABLE_SUSPECT_UNKNOWN = 3,
	RIB_TABLE_QUALITIES
};

enum rib_table_event {
	RIB_TABLE_EV_DUMP_STARTED, /* the first one, or another generation */
	RIB_TABLE_EV_DUMP_ENDED,   /* by End-of-RIB or by its timer */
	RIB_TABLE_EV_DUMP_CUT,	   /* by a lost session, or it had holes */
	RIB_TABLE_EV_SWEPT,
	RIB_TABLE_EV_WITHDRAWN, /* all routes of the table */
	RIB_TABLE_EV_UNREADABLE,
	RIB_TABLE_EV_DROPPED, /* by the collector, a filter, or no memory */
	RIB_TABLE_EVENTS
};

enum rib_table_form {
	RIB_FORM_UNKNOWN,   /* no evidence yet */
	RIB_FORM_DOUBTED,   /* contradicted since it was confirmed */
	RIB_FORM_GIVEN,	    /* configured, or evidence cannot exist */
	RIB_FORM_CONFIRMED, /* by a message that has only one reading */
	RIB_FORMS
};

enum rib_table_form_event {
	RIB_FORM_EV_DUMP_STARTED,
	RIB_FORM_EV_GIVEN,
	RIB_FORM_EV_CONFIRMED,
	RIB_FORM_EV_CONTRADICTED,
	RIB_FORM_EV_OUTWEIGHED, /* contradicted as often as changes the form */
	RIB_FORM_EVENTS
};

/* The phase that follows @phase after @event. */
enum rib_table_phase rib_table_step(enum rib_table_phase phase,
				    enum rib_table_event event);

/* The quality that follows @quality after @event. */
enum rib_table_quality rib_table_quality_step(enum rib_table_quality quality,
					      enum rib_table_event event);

/* The form that follows @form after @event. */
enum rib_table_form rib_table_form_step(enum rib_table_form form,
					enum rib_table_form_event event);

/* Whether the messages of a table of this form are examined. */
static inline bool rib_table_form_examined(uint8_t form)
{
	return form <= RIB_FORM_DOUBTED;
}

static inline bool rib_table_quality_suspect(uint8_t quality)
{
	return (quality & RIB_TABLE_SUSPECT) != 0;
}

static inline bool rib_table_quality_unknown(uint8_t quality)
{
	return (quality & RIB_TABLE_UNKNOWN) != 0;
}

#endif
