// Pinocchio's articulated-body algorithm in a native loop, over the headers of its wheel.
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/multibody.hpp>

#include <string>

namespace pin = pinocchio;
using Vector = Eigen::Map<const Eigen::VectorXd>;

static pin::Model model;

extern "C" void reset() { model = pin::Model(); }

extern "C" int add_joint(int parent, int is_free, const double* axis, const double* p)
{
    const pin::SE3 at(Eigen::Matrix3d::Identity(), Eigen::Vector3d(p[0], p[1], p[2]));
    const Eigen::Vector3d a(axis[0], axis[1], axis[2]);
    const std::string name = "j" + std::to_string(model.njoints);
    if (is_free) return model.addJoint(parent, pin::JointModelFreeFlyer(), at, name);
    if (a == Eigen::Vector3d::UnitX()) return model.addJoint(parent, pin::JointModelRX(), at, name);
    if (a == Eigen::Vector3d::UnitY()) return model.addJoint(parent, pin::JointModelRY(), at, name);
    if (a == Eigen::Vector3d::UnitZ()) return model.addJoint(parent, pin::JointModelRZ(), at, name);
    return model.addJoint(parent, pin::JointModelRevoluteUnaligned(a), at, name);
}

extern "C" void add_body(int joint, double mass, const double* c, const double* principal)
{
    const Eigen::Matrix3d inertia = Eigen::Vector3d(principal[0], principal[1], principal[2]).asDiagonal();
    model.appendBodyToJoint(joint, pin::Inertia(mass, Eigen::Vector3d(c[0], c[1], c[2]), inertia), pin::SE3::Identity());
}

extern "C" void aba_loop(long n, long sets, const double* q, const double* v, const double* tau, double* a)
{
    pin::Data data(model);
    for (long k = 0; k < n; ++k) {
        const long s = k % sets;
        pin::aba(model, data, Vector(q + s * model.nq, model.nq), Vector(v + s * model.nv, model.nv),
                 Vector(tau + s * model.nv, model.nv));
        Eigen::Map<Eigen::VectorXd>(a + s * model.nv, model.nv) = data.ddq;
    }
}
