"""What the words of a report mean, and where they come from."""

DEFINITIONS = (
    ("bearing angles", "A leg has two bearings at each end, in cascade; both angles are 0 at neutral. Where the preset "
     "names no axes, the first bearing is horizontal and normal to the leg there. Derived for this suite."),
    ("rod rotation", "The turn of the rod in its cylinder about the leg, from neutral; it follows from the two "
     "universal joints. Derived for this suite."),
    ("64 extremes", "Every leg fully in or fully out, all combinations, as the Cockpit Motion Facility's tools swept "
     "them (Bryant and Carrelli, Software Tools for Developing and Simulating the NASA LaRC CMF Motion Base)."),
    ("clearance", "Least distance between the meshes of two parts, by coal; overlap is interference, and has no "
     "distance. Round parts are drawn around, so clearances err on the small side. Less than an inch was of concern at "
     "the Cockpit Motion Facility (the same paper); the threshold of the warning is illustrative."),
    ("single-axis limits", "Where the first leg reaches an end of its operational stroke along or about one axis, in "
     "closed form."),
    ("workspace", "Rays from neutral to the first pose that is out of reach; volumes by Gauss's rule over all "
     "directions, as seen from neutral."),
)  # fmt: skip
