"""Head to head: several methods publish the same records, and each is measured in the same way.

`CONTENDERS` lists who may take part; nothing else in this room knows the name of a method.
"""
