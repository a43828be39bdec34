"""Attackers: what each learns from data or a release, one module per attacker."""
