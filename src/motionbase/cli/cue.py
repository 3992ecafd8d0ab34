"""`motionbase cue` works with motion cueing: the motion of a vehicle as people on a platform feel it."""

import typer

from motionbase.cli.cue_omct import bounds, omct

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.callback()
def cue() -> None:
    """Measure motion cueing.

    Example: motionbase cue omct simona --cueing simona
    """


for command in (omct, bounds):
    app.command()(command)
