/* What the law says, for the guard: its commands and codes, whether all its numbers are sound, and the tick it answers.
   Where the law runs on another processor, all of it comes from there, and `answer` with the measurements it was sent. */
#ifndef MOTIONBASE_ANSWER_H
#define MOTIONBASE_ANSWER_H

#include "control.h"
#include "guard.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static void law_answer(guard_inputs *said, const control_outputs *out, const control_state *law, double tick)
{
    const double *all = (const double *)out, *x = (const double *)law; /* structures of doubles alone */

    memcpy(said->valve_cmd_law, out->valve_cmd, sizeof said->valve_cmd_law);
    said->abort_law = out->abort;
    said->state_law = out->state;
    said->fault_law = out->fault;
    said->sound = 1.0;
    for (size_t k = 0; k < sizeof *out / sizeof *all; k++)
        if (!isfinite(all[k]))
            said->sound = 0.0;
    for (size_t k = 0; k < sizeof *law / sizeof *x; k++)
        if (isnan(x[k]))
            said->sound = 0.0;
    said->answer = tick;
}

#endif
