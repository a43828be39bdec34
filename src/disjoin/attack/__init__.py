"""The burglar: what somebody who knows a little can find out, one attacker per file."""
