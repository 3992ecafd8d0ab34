/* Control law, guard and platform in closed loop: it rises, drives, and heaves by a function generator. */
#include "answer.h"
#include "control.h"
#include "guard.h"
#include "plant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What an operator asks for who wants to drive. */
static double request_towards_drive(double state)
{
    if (state == CONTROL_STATE_OFF)
        return CONTROL_REQUEST_DOWN;
    if (state == CONTROL_STATE_DOWN)
        return CONTROL_REQUEST_STANDBY;
    if (state == CONTROL_STATE_STANDBY)
        return CONTROL_REQUEST_DRIVE;
    return CONTROL_REQUEST_NONE;
}

/* What the sensors read goes to the law's next tick. */
static void take_readings(control_inputs *in, const plant_outputs *read)
{
    memcpy(in->l_meas, read->l_meas, sizeof in->l_meas);
    memcpy(in->l_dot_meas, read->l_dot_meas, sizeof in->l_dot_meas);
    memcpy(in->l_ddot_meas, read->l_ddot_meas, sizeof in->l_ddot_meas);
    memcpy(in->p_cap, read->p_cap, sizeof in->p_cap);
    memcpy(in->p_rod, read->p_rod, sizeof in->p_rod);
    memcpy(in->valve_meas, read->valve_meas, sizeof in->valve_meas);
    memcpy(in->f_meas, read->f_meas, sizeof in->f_meas);
    memcpy(in->acc, read->acc, sizeof in->acc);
    memcpy(in->omega, read->omega, sizeof in->omega);
}

/* A whole number of at least 1 from the command line, or 0 for anything else. */
static long counted(const char *text)
{
    char *end;
    const long value = strtol(text, &end, 10);
    return end != text && *end == '\0' && value > 0 ? value : 0;
}

int main(int argc, char **argv)
{
    const long ticks = argc > 1 ? counted(argv[1]) : (long)(12.0 / CONTROL_DT + 0.5);
    const long every = argc > 2 ? counted(argv[2]) : (long)(0.5 / CONTROL_DT + 0.5);
    double parameters[control__parameters_SIZE], state = CONTROL_STATE_OFF;
    control_state law = control_initial_state;
    control_inputs in = control_initial_inputs;
    control_outputs out;
    guard_state guard = guard_initial_state;
    guard_inputs said = guard_initial_inputs;
    guard_outputs safe; /* what may go to the hardware */
    plant_state platform = plant_initial_state;
    plant_inputs acting = plant_initial_inputs;
    plant_outputs read;
    int stopped = 0, held = 0; /* by the guard, as of the last tick: the law; and the legs, so that a reset is heard */

    if (argc > 3 || ticks == 0 || every == 0) {
        fprintf(stderr, "usage: %s [TICKS [TICKS_A_LINE]], whole numbers from 1\n", argv[0]);
        return 2;
    }
    memcpy(parameters, control_default_parameters, sizeof parameters);
    in.mode = CONTROL_MODE_MAINTENANCE; /* generators about the neutral pose, no host */
    in.settings[CONTROL_SETTING_ENABLED] = 1.0; /* generator 1: a sine in heave, [m] and [Hz] */
    in.settings[CONTROL_SETTING_SPACE] = 1.0;
    in.settings[CONTROL_SETTING_AXES] = 1 << 2;
    in.settings[CONTROL_SETTING_SHAPE] = CONTROL_SHAPE_SINE;
    in.settings[CONTROL_SETTING_AMPLITUDE] = 0.1;
    in.settings[CONTROL_SETTING_FREQUENCY] = 0.5;
    in.settings[CONTROL_SETTING_FADE_IN] = 1.0;
    in.settings[CONTROL_SETTING_FADE_OUT] = 1.0;
    in.settings_version = 1.0;

    printf("t,state,fault,l_1,l_2,l_3,l_4,l_5,l_6,valve_1,valve_2,valve_3,valve_4,valve_5,valve_6\n");
    for (long tick = 0; tick < ticks; tick++) {
        const int button = 0, reset = 0; /* what an operator presses; reset is 1 for one tick */

        /* A law that the guard has stopped is told so, until a reset after the stop lets go of it. */
        in.estop = button || (stopped && !(reset && held));
        in.reset = said.reset = reset;
        in.request = request_towards_drive(state);
        control_step(parameters, &law, &in, &out);
        law_answer(&said, &out, &law, (double)tick);
        guard_step(&guard, &said, &safe);
        state = safe.state;
        stopped = safe.stopped != 0.0;
        held = state == CONTROL_STATE_HELD;

        memcpy(acting.valve_cmd, safe.valve_cmd, sizeof acting.valve_cmd);
        acting.abort = safe.abort;
        plant_step(&platform, &acting, &read);
        take_readings(&in, &read);

        if ((tick + 1) % every == 0) {
            printf("%.6g,%.17g,%.17g", (double)(tick + 1) * CONTROL_DT, safe.state, safe.fault);
            for (int leg = 0; leg < 6; leg++)
                printf(",%.17g", read.l[leg]);
            for (int leg = 0; leg < 6; leg++)
                printf(",%.17g", safe.valve_cmd[leg]);
            printf("\n");
        }
    }
    return 0;
}
