/* MuJoCo's forward dynamics in a native loop. */
#include <mujoco/mujoco.h>
#include <math.h>
#include <string.h>

void forward_loop(long n, long sets, const mjModel* m, mjData* d, const double* q, const double* v, const double* tau,
                  double* a)
{
    for (long k = 0; k < n; ++k) {
        const long s = k % sets;
        memcpy(d->qpos, q + s * m->nq, m->nq * sizeof(double));
        memcpy(d->qvel, v + s * m->nv, m->nv * sizeof(double));
        memcpy(d->qfrc_applied, tau + s * m->nv, m->nv * sizeof(double));
        mj_forward(m, d);
        memcpy(a + s * m->nv, d->qacc, m->nv * sizeof(double));
    }
}

/* Steps with position drives that follow sines, each a phase further. */
void drive_loop(long n, const mjModel* m, mjData* d, double amplitude, double omega, double phase)
{
    for (long k = 0; k < n; ++k) {
        for (int i = 0; i < m->nu; ++i) {
            d->ctrl[i] = amplitude * sin(omega * d->time + i * phase);
        }
        mj_step(m, d);
    }
}
