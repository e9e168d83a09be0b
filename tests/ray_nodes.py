"""A Ray cluster of two nodes with a processor each, on loopback, until standard input ends. Prints its address.

A process of its own: whoever dies takes the cluster along.
"""

from __future__ import annotations

import sys

from ray.cluster_utils import Cluster

NODE = {"num_cpus": 1, "object_store_memory": 80_000_000, "include_dashboard": False, "node_ip_address": "127.0.0.1"}

if __name__ == "__main__":
    cluster = Cluster(initialize_head=True, head_node_args=NODE)
    try:
        cluster.add_node(**NODE)
        cluster.wait_for_nodes(timeout=60)
        print(cluster.address, flush=True)
        sys.stdin.read()
    finally:
        cluster.shutdown()
