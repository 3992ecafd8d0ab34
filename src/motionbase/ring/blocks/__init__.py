"""The two blocks that clients of a ring may write: function generators and operator commands."""

from motionbase.ring.blocks.command import Ack, Command, Kind, Reason, Result
from motionbase.ring.blocks.commands import CommandReceiver, CommandSender
from motionbase.ring.blocks.files import load, save
from motionbase.ring.blocks.generator import Generator, Shape, Space
from motionbase.ring.blocks.generators import GeneratorClient, GeneratorReader, GeneratorSet
from motionbase.ring.blocks.preview import outputs
from motionbase.ring.blocks.seqlock import Outcome

__all__ = [
    "Ack",
    "Command",
    "CommandReceiver",
    "CommandSender",
    "Generator",
    "GeneratorClient",
    "GeneratorReader",
    "GeneratorSet",
    "Kind",
    "Outcome",
    "Reason",
    "Result",
    "Shape",
    "Space",
    "load",
    "outputs",
    "save",
]
