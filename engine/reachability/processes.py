"""Jobs spread over processes of one thread each, which end with the process that started them."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import TypeVar

Job = TypeVar("Job")
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def spread(work: Callable[[Job], None], jobs: Sequence[Job], workers: int) -> Iterator[Job]:
    """Run jobs in processes.

    Parameters
    ----------
    work
        Does one job and leaves its result on disk; a function of a module, so that it can be sent.
    jobs
        What to do, in this order.
    workers
        Most processes at once.

    Yields
    ------
    job
        Each job as it is done.
    """
    if not jobs:
        return
    before = {name: os.environ.get(name) for name in THREAD_VARIABLES}
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))
    try:
        with ProcessPoolExecutor(
            max_workers=max(1, min(workers, len(jobs))),
            mp_context=get_context("spawn"),
            initializer=_end_with,
            initargs=(os.getpid(),),
        ) as executor:
            waiting: dict[Future[None], Job] = {executor.submit(work, job): job for job in jobs}
            try:
                for future in as_completed(waiting):
                    future.result()
                    yield waiting[future]
            except BaseException:
                executor.shutdown(wait=False, cancel_futures=True)
                raise
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _end_with(parent: int) -> None:
    """End this process soon after the engine is gone, however it went."""
    import threading

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=watch, name="watch", daemon=True).start()
