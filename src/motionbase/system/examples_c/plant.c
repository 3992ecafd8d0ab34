/* The platform for 1 s with its valves a little open, from rest, down. */
#include "plant.h"

#include <stdio.h>

int main(void)
{
    const int ticks = (int)(1.0 / PLANT_DT + 0.5);
    plant_state state = plant_initial_state;
    plant_inputs in = plant_initial_inputs;
    plant_outputs out;

    for (int leg = 0; leg < 6; leg++)
        in.valve_cmd[leg] = 0.1; /* all legs extend */

    printf("t,l_1,l_2,l_3,l_4,l_5,l_6\n");
    for (int tick = 0; tick < ticks; tick++) {
        plant_step(&state, &in, &out);
        if ((tick + 1) % (ticks / 10) == 0) {
            printf("%.6g", (tick + 1) * PLANT_DT);
            for (int leg = 0; leg < 6; leg++)
                printf(",%.17g", out.l[leg]);
            printf("\n");
        }
    }
    return 0;
}
