"""Why did it fall, or why not: a run is watched, and what was planned is laid beside what happened.

    diary = Diary()
    run = simulate("locomote", seconds=5, watch=diary)
    explain(run.motion, diary, Path("why.html"))
"""

from gambol.explain.diary import Diary
from gambol.explain.page import explain

__all__ = ["Diary", "explain"]
