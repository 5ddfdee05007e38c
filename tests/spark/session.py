# SPDX-License-Identifier: GPL-3.0-or-later
"""A Spark of two workers on this machine, each with a processor and 1 GiB."""
import os

from pyspark.sql import SparkSession


def start(partitions):
    spark = (SparkSession.builder.master("local-cluster[2,1,1024]").config("spark.driver.host", "127.0.0.1")
             .config("spark.driver.bindAddress", "127.0.0.1").config("spark.ui.enabled", "false")
             .config("spark.executorEnv.SOFTLABEL", os.environ["SOFTLABEL"])
             .config("spark.executorEnv.PYTHONPATH", os.environ["PYTHONPATH"])
             .config("spark.sql.adaptive.enabled", "false")
             .config("spark.sql.shuffle.partitions", str(partitions)).getOrCreate())
    spark.sparkContext.setLogLevel("OFF")
    return spark
