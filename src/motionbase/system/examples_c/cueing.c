/* The vehicle accelerates forwards for 10 s, told 60 times a second: the platform surges, then tilts its nose up. */
#include "cueing.h"

#include <stdio.h>
#include <string.h>

int main(void)
{
    const int ticks = (int)(10.0 / CUEING_DT + 0.5);
    double parameters[cueing__parameters_SIZE];
    cueing_state state = cueing_initial_state;
    cueing_inputs in = cueing_initial_inputs; /* a vehicle that stands on the ground, before its first sample */
    cueing_outputs out;

    /* Any parameter may be changed before any tick, by name: parameters[CUEING_PARAMETER_CUE_GAIN] = 0.5; */
    memcpy(parameters, cueing_default_parameters, sizeof parameters);

    printf("t,surge,heave,pitch,felt_forwards,error\n");
    for (int tick = 0; tick < ticks; tick++) {
        in.vehicle_count = 1.0 + (int)(tick * CUEING_DT * 60.0); /* a change brings a new sample */
        in.vehicle[CUEING_VEHICLE_F] = in.vehicle_count > 120.0 ? 2.0 : 0.0;
        in.vehicle[CUEING_VEHICLE_ON_GROUND] = 0.0;
        cueing_step(parameters, &state, &in, &out);
        /* out.host_frame and out.host_count are the law's inputs of these names */
        if ((tick + 1) % (ticks / 10) == 0)
            printf("%.6g,%.17g,%.17g,%.17g,%.17g,%.17g\n", (tick + 1) * CUEING_DT, out.host_frame[0], out.host_frame[2],
                   out.host_frame[4], out.cue[0], out.cue_error);
    }
    return 0;
}
