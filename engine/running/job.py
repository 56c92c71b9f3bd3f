"""What a keeper is told about its run. Standard library only; a dataclass would cost memory."""

import json

LOG_BYTES = 64 * 2**20


class Job:
    """One attempt as its keeper sees it.

    Parameters
    ----------
    attempt : str
        The attempt's folder.
    scratch : str
        The worker's folder, with `request.json` and `train.npz`.
    argv : list of str
        How to start the worker.
    env : dict
        Its whole environment, but for the mark and the record's descriptor.
    mark : str
        The run's mark, found again in the environment of every process below.
    startup_s, budget_s, grace_s : float
        Limits: until the fit begins, of the fit, and between TERM and KILL.
    memory_bytes : int or None
        Cap on the memory of all processes together.
    affinity : list of int or None
        Cores to bind to.
    sample_s : float
        Time between telemetry samples.
    log_bytes : int
        Size above which the worker's log is emptied, so that a talkative method fills no disk.
    host : str or None
        The name this machine goes by in records; its own when omitted.
    """

    __slots__ = (
        "affinity",
        "argv",
        "attempt",
        "budget_s",
        "env",
        "grace_s",
        "host",
        "log_bytes",
        "mark",
        "memory_bytes",
        "sample_s",
        "scratch",
        "startup_s",
    )

    def __init__(
        self,
        *,
        attempt: str,
        scratch: str,
        argv: list[str],
        env: dict[str, str],
        mark: str,
        startup_s: float,
        budget_s: float,
        grace_s: float,
        memory_bytes: int | None = None,
        affinity: list[int] | None = None,
        sample_s: float = 5.0,
        log_bytes: int = LOG_BYTES,
        host: str | None = None,
    ) -> None:
        self.attempt = attempt
        self.scratch = scratch
        self.argv = argv
        self.env = env
        self.mark = mark
        self.startup_s = startup_s
        self.budget_s = budget_s
        self.grace_s = grace_s
        self.memory_bytes = memory_bytes
        self.affinity = affinity
        self.sample_s = sample_s
        self.log_bytes = log_bytes
        self.host = host

    def dump(self) -> bytes:
        """Write the job for its keeper.

        Returns
        -------
        bytes
            JSON that `read` takes back.
        """
        return json.dumps({name: getattr(self, name) for name in self.__slots__}).encode()


def read(content: bytes) -> Job:
    """Read a job.

    Parameters
    ----------
    content : bytes
        What `Job.dump` wrote.

    Returns
    -------
    Job
        The job.
    """
    return Job(**json.loads(content))
