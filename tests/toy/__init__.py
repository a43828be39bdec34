"""A toy: a form and a method in one folder. They tell how many terms records have, and nothing else."""

from disjoin.methods import MethodRecord
from toy.form import FORM
from toy.method import LengthsOnly

METHOD = MethodRecord("lengths", "Publish how long records are.", "toy.method:LengthsOnly", command="tell-lengths")

__all__ = ["FORM", "METHOD", "LengthsOnly"]
