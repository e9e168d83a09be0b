"""Many trials, each on a processor of its own: the only pool there is, on this machine or on a Ray cluster.

    with Pool(workers=4) as pool:                 or Pool(ray="10.0.0.1:6379")
        for index, value in pool.run(function, [(1, "a"), (2, "b")]):
            ...                                   as they come
        values = pool.map(function, arguments)    in order, when all are there
"""

from gambol.jobs.pool import Pool, TrialFailed
from gambol.jobs.task import stop_asked

__all__ = ["Pool", "TrialFailed", "stop_asked"]
