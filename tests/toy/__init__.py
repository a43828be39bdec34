"""A toy: a form and a method in one folder. They tell how many terms records have, and nothing else."""

from toy.form import FORM
from toy.method import LengthsOnly

__all__ = ["FORM", "LengthsOnly"]
