/* Control law and guard for 1 s on the measurements of the platform at rest, down, with valves that obey at once. */
#include "answer.h"
#include "control.h"
#include "guard.h"

#include <stdio.h>
#include <string.h>

int main(void)
{
    const int ticks = (int)(1.0 / CONTROL_DT + 0.5);
    double parameters[control__parameters_SIZE];
    control_state state = control_initial_state;
    control_inputs in = control_initial_inputs;
    control_outputs out;
    guard_state guard = guard_initial_state;
    guard_inputs said = guard_initial_inputs;
    guard_outputs safe; /* what may go to the hardware */
    int stopped = 0, held = 0; /* by the guard, as of the last tick: the law; and the legs, so that a reset is heard */

    /* Any parameter may be changed before any tick, by name: parameters[CONTROL_PARAMETER_K_P] = 12.0; */
    memcpy(parameters, control_default_parameters, sizeof parameters);
    in.mode = CONTROL_MODE_MAINTENANCE;

    printf("t,state,fault,valve_1,valve_2,valve_3,valve_4,valve_5,valve_6\n");
    for (int tick = 0; tick < ticks; tick++) {
        const int button = 0, reset = 0; /* what an operator presses; reset is 1 for one tick */

        /* A law that the guard has stopped is told so, until a reset after the stop lets go of it. */
        in.estop = button || (stopped && !(reset && held));
        in.reset = said.reset = reset;
        /* Switched on, and after half a second asked to rise; but for the spools the measurements stay as they are. */
        in.request = tick < ticks / 2 ? CONTROL_REQUEST_DOWN : CONTROL_REQUEST_STANDBY;
        control_step(parameters, &state, &in, &out);
        law_answer(&said, &out, &state, tick);
        guard_step(&guard, &said, &safe);
        stopped = safe.stopped != 0.0;
        held = safe.state == CONTROL_STATE_HELD;
        memcpy(in.valve_meas, safe.valve_cmd, sizeof in.valve_meas);
        if ((tick + 1) % (ticks / 10) == 0) {
            printf("%.6g,%.17g,%.17g", (tick + 1) * CONTROL_DT, safe.state, safe.fault);
            for (int leg = 0; leg < 6; leg++)
                printf(",%.17g", safe.valve_cmd[leg]);
            printf("\n");
        }
    }
    return 0;
}
