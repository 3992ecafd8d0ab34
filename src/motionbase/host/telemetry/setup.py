"""What to switch on in each simulator, in a sentence; scripts that run beside it."""

from __future__ import annotations

from pathlib import Path

SETUP = {
    "xplane": "Settings, Data Output: tick 'Network via UDP' of rows 1, 4, 16, 17 and 66, at 60 a second or more, to "
    "this machine, port 49003",
    "xplane11": "Settings, Data Output: tick 'Network via UDP' of rows 1, 4, 16, 17 and 66 to this machine, port 49003",
    "flightgear": "fgfs --native-fdm=socket,out,60,127.0.0.1,5500,udp",
    "flightgear-generic": "copy motionbase.xml to the folder Protocol of FlightGear's data; "
    "fgfs --generic=socket,out,60,127.0.0.1,5501,udp,motionbase",
    "msfs": "run msfs_bridge.py on the simulator's machine, with the address of this one",
    "dcs": "copy motionbase.lua to Saved Games/DCS/Scripts, and add its line to Export.lua there",
    "codemasters": "hardware_settings_config.xml, motion_platform: udp enabled=true extradata=3 port=20777 delay=1",
    "custom-udp": "SpaceMonkey: Outputs, UDP to the address of this machine, port 20778, its default packet format; "
    "DiRT: motion_platform, custom_udp enabled=true filename=FILE.xml",
    "eawrc": "Documents/My Games/WRC/telemetry/config.json: bEnabled true for session_update, port 20789",
    "forza": "Settings, HUD and Gameplay: Data Out on, address of this machine, port 5300",
    "beamng": "Options, Other, Protocols: MotionSim on, address of this machine, port 4444",
    "lfs": "cfg.txt: OutSim Mode 1, OutSim Delay 1, OutSim IP of this machine, OutSim Port 4123",
    "f1": "Settings, Telemetry: UDP on, address of this machine, port 20777, 60 Hz, format 2025 or 2026",
    "iracing": "run iracing_bridge.py on the simulator's machine, with the address of this one",
    "acc": "run acc_bridge.py on the simulator's machine, with the address of this one",
}
SCRIPTS = {
    "motionbase.xml": "FlightGear: protocol of format flightgear-generic",
    "motionbase.lua": "DCS World: for Saved Games/DCS/Scripts",
    "msfs_bridge.py": "Microsoft Flight Simulator: SimConnect to format msfs",
    "iracing_bridge.py": "iRacing: shared memory to format iracing",
    "acc_bridge.py": "Assetto Corsa and Competizione: shared memory to format acc",
}


def script_path(name: str) -> Path:
    """The file of a script of SCRIPTS."""
    return Path(__file__).parent / "scripts" / name
