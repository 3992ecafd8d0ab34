"""A model as TOML and a robot as URDF, for the tests of the loaders."""

TOML = """name = "two_link"
gravity = [0, 0, -9.80665]

[bodies.upper]
mass = 4
com = [1.0, 0, 0]
points.tip = [1.0, 0, 0]

[bodies.fore]
mass = 3.0
com = [0.8, 0, 0]
inertia = [0, 0, 0]

[joints.shoulder]
type = "revolute"
parent = "ground"
child = "upper"
axis = [0, -1, 0]

[joints.elbow]
type = "revolute"
parent = "upper"
child = "fore"
position = "tip"
axis = [0, -1, 0]
"""


def link(name: str, com: str, mass: float, xx: float, yy: float, zz: float) -> str:
    inertia = f'<inertia ixx="{xx}" ixy="0" ixz="0" iyy="{yy}" iyz="0" izz="{zz}"/>'
    return f'<link name="{name}"><inertial><origin xyz="{com}"/><mass value="{mass}"/>{inertia}</inertial></link>'


URDF = f"""<?xml version="1.0"?>
<robot name="test arm">
  <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
  <link name="base-link"/>
  <link name="turret">
    <inertial><origin xyz="0.1 0.02 0.3" rpy="0.3 -0.2 0.5"/><mass value="7.5"/>
      <inertia ixx="0.3" ixy="0.02" ixz="-0.01" iyy="0.4" iyz="0.03" izz="0.25"/></inertial>
    <visual><geometry><mesh filename="package://turret.dae"/></geometry></visual>
  </link>
  {link("mast", "0 0 0", 3.0, 0.1, 0.1, 0.02)}
  {link("hook", "0 0 -0.2", 1.5, 0.02, 0.03, 0.02)}
  {link("bracket", "0.1 0 0", 0.7, 0.01, 0.01, 0.01)}
  {link("arm", "0.4 0 0", 2.0, 0.01, 0.2, 0.2)}
  <joint name="yaw" type="continuous">
    <parent link="base-link"/><child link="turret"/><origin xyz="0 0 0.5" rpy="0 0 0.4"/><axis xyz="0 0 1"/>
  </joint>
  <joint name="lift" type="prismatic">
    <parent link="turret"/><child link="mast"/><origin xyz="0.2 0 0.6" rpy="0.1 0.2 0"/><axis xyz="0 0.6 0.8"/>
    <limit lower="0" upper="1" effort="10" velocity="1"/>
  </joint>
  <joint name="bracket_mount" type="fixed">
    <parent link="mast"/><child link="bracket"/><origin xyz="0 0.1 0.2" rpy="0 0 1.2"/>
  </joint>
  <joint name="swing" type="revolute">
    <parent link="bracket"/><child link="hook"/><origin xyz="0.3 0 0" rpy="-0.7 0 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="1"/><dynamics damping="0.5"/>
  </joint>
  <joint name="shoulder" type="revolute">
    <parent link="turret"/><child link="arm"/><origin xyz="0 0.3 0.1"/><axis xyz="0 2 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="1"/>
  </joint>
  <transmission name="t"/><gazebo/>
</robot>
"""
