"""Apache Spark: the records stay where they are, what is published passes through the driver.

`run.py` is the line of jobs, the `work_` files are what executors do in them. Nothing but DataFrames and functions over
Arrow batches is used. pyspark is imported where a frame is touched.
"""
