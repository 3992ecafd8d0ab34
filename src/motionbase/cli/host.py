"""`motionbase host`: what hosts tell a base, and what is sent to one."""

import typer

from motionbase.cli.host_send import send

app = typer.Typer(
    no_args_is_help=True,
    help="""Hosts of a motion base: computers that send it poses, or the motion of a vehicle, over UDP.

Example: motionbase host send landing udp://127.0.0.1:8730?format=motionbase-vehicle""",
)
app.command("send")(send)
