/*
 * rib/table_fsm.h - the states of a table
 *
 * The phase of a table depends on the dumps that its router sends:
 *
 *	       DUMP_STARTED            DUMP_ENDED
 *	IDLE -----------------> SYNCING ----------> SWEEPING
 *	 ^ ^                     |   ^               |    |
 *	 | | DUMP_CUT, WITHDRAWN |   | DUMP_STARTED  |    |
 *	 | +---------------------+   +---------------+    |
 *	 |                                SWEPT, WITHDRAWN |
 *	 +------------------------------------------------+
 *
 * The quality says whether routes may be missing in the table:
 *
 *	any      -- DUMP_STARTED --> WHOLE
 *	WHOLE    -- UNREADABLE ----> SUSPECT
 *	WHOLE    -- DROPPED -------> UNKNOWN
 *	SUSPECT  -- DROPPED -------> SUSPECT_UNKNOWN
 *	UNKNOWN  -- UNREADABLE ----> SUSPECT_UNKNOWN
 *
 * An event that is not listed for a state does not change it. If a route is
 * missing in a dump, the router does not have it any more; but this is only
 * certain if no update of the dump was dropped. So the dump of a table that is
 * UNKNOWN or SUSPECT_UNKNOWN ends with DUMP_CUT.
 *
 * The form says how certain it is whether the NLRI of the table have path
 * identifiers: see rib/add_path.h. While it is UNKNOWN or DOUBTED, messages are
 * parsed in both forms.
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
	/* End-of-RIB was not received and its timer has not fired */
	RIB_TABLE_SYNCING,
	RIB_TABLE_SWEEPING, /* routes of older generations are withdrawn */
	RIB_TABLE_PHASES
};

/* Two bits, which can be tested separately. */
enum rib_table_quality {
	RIB_TABLE_WHOLE = 0,
	RIB_TABLE_SUSPECT = 1, /* part of a message could not be parsed */
	RIB_TABLE_UNKNOWN = 2, /* updates were dropped */
	RIB_TABLE_SUSPECT_UNKNOWN = 3,
	RIB_TABLE_QUALITIES
};

enum rib_table_event {
	RIB_TABLE_EV_DUMP_STARTED, /* the first dump, or another generation */
	/* End-of-RIB was received, or its timer fired */
	RIB_TABLE_EV_DUMP_ENDED,
	/* the session was lost, or updates were dropped */
	RIB_TABLE_EV_DUMP_CUT,
	RIB_TABLE_EV_SWEPT,
	RIB_TABLE_EV_WITHDRAWN, /* all routes of the table are withdrawn */
	RIB_TABLE_EV_UNREADABLE,
	/* updates were dropped: by --overload, a filter, or out of memory */
	RIB_TABLE_EV_DROPPED,
	RIB_TABLE_EVENTS
};

enum rib_table_form {
	RIB_FORM_UNKNOWN, /* no evidence yet */
	RIB_FORM_DOUBTED, /* contradicted after it was confirmed */
	RIB_FORM_GIVEN,	  /* configured, or there can be no evidence */
	/* confirmed by a message with only one possible form */
	RIB_FORM_CONFIRMED,
	RIB_FORMS
};

enum rib_table_form_event {
	RIB_FORM_EV_DUMP_STARTED,
	RIB_FORM_EV_GIVEN,
	RIB_FORM_EV_CONFIRMED,
	RIB_FORM_EV_CONTRADICTED,
	RIB_FORM_EV_OUTWEIGHED, /* enough contradictions to change the form */
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

/* True if the messages of a table of this form are parsed in both forms. */
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
