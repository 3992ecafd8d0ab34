"""Blocks of a ring: function generators and operator commands, which clients write, and the law's parameters."""

from motionbase.ring.blocks.command import Ack, Command, Kind, Reason, Result
from motionbase.ring.blocks.commands import CommandReceiver, CommandSender
from motionbase.ring.blocks.files import load, save
from motionbase.ring.blocks.generator import Generator, Shape, Space
from motionbase.ring.blocks.generators import GeneratorClient, GeneratorReader, GeneratorSet
from motionbase.ring.blocks.parameter import Parameter, ParameterTable
from motionbase.ring.blocks.parameter_files import load_parameters, save_parameters
from motionbase.ring.blocks.parameters import ParameterClient, ParameterPublisher, Parameters
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
    "Parameter",
    "ParameterClient",
    "ParameterPublisher",
    "ParameterTable",
    "Parameters",
    "Reason",
    "Result",
    "Shape",
    "Space",
    "load",
    "load_parameters",
    "outputs",
    "save",
    "save_parameters",
]
