"""How many examples a property is tried with: fewer without the compiler, many more in `make fuzz`."""

from hypothesis import settings


def examples(usual: int) -> settings:
    """Return settings for that many examples in an ordinary run; the profile scales them."""
    return settings(max_examples=max(5, usual * settings.default.max_examples // 100))
