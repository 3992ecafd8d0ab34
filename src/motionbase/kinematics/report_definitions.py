"""What the words of a report mean, and where they come from."""

DEFINITIONS = (
    ("bearing angles", "A leg has two bearings at each end, in cascade; both angles are 0 at neutral. Where the preset "
     "names no axes, the first bearing is horizontal and normal to the leg there. Derived for this suite."),
    ("rod rotation", "The turn of the rod in its cylinder about the leg, from neutral; it follows from the two "
     "universal joints. Derived for this suite."),
    ("64 extremes", "Every leg fully in or fully out, all combinations, as the Cockpit Motion Facility's tools swept "
     "them (Bryant and Carrelli, Software Tools for Developing and Simulating the NASA LaRC CMF Motion Base)."),
    ("characteristic condition number", "Largest over least singular value of the leg Jacobian whose columns for turns "
     "are divided by the rms radius of the platform's joints (Angeles), so that all columns are plain numbers and the "
     "unit of length does not matter: 1 where all directions are alike, infinite where the pose is singular. Tables, "
     "maps and commands all use this one."),
    ("derived dimensions", "Parts whose dimensions the platform's file does not give are drawn with dimensions derived "
     "from joints, strokes and piston areas. Distances to such parts are an indication and are not judged."),
    ("clearance", "Least distance between the meshes of two parts, by coal; overlap is interference, and has no "
     "distance. Round parts are drawn around, so clearances err on the small side. Less than an inch was of concern at "
     "the Cockpit Motion Facility (the same paper); the threshold of the warning is illustrative."),
    ("single-axis limits", "Where the first leg reaches an end of its operational stroke along or about one axis, in "
     "closed form."),
    ("workspace", "Rays from neutral to the first pose that is out of reach; volumes by Gauss's rule over all "
     "directions, as seen from neutral."),
)  # fmt: skip
