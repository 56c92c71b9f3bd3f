"""The broker: lends the engine's client to workers over loopback, with a token, a cap and a log per run.

Workers speak OpenAI chat completions to it and hold no key. What a worker may ask is plain text only.
"""

import hmac
import secrets
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from engine.errors import EngineError
from engine.models.caps import CapReachedError, Caps, Ledger, Spent
from engine.models.chat_format import RefusedError, completion, read_request
from engine.models.chat_server import chat_server
from engine.models.client import Client
from engine.models.journal import Journal
from engine.models.request import Reply, Request, Usage

# How soon close() is noticed.
POLL_S = 0.05


@dataclass(frozen=True, slots=True)
class Lease:
    """What a worker is given: an address, a token that opens it, and the caps it will meet."""

    run: str
    url: str
    token: str
    cap: Caps

    def endpoint(self, model: str) -> dict[str, Any]:
        """Return the ``endpoint`` field of a run's request.json."""
        return {
            "url": self.url,
            "token": self.token,
            "model": model,
            "cap": {"calls": self.cap.calls, "tokens": self.cap.tokens, "cost": self.cap.cost},
        }


class _Loan:
    """The broker's side of a lease."""

    def __init__(self, lease: Lease, ledger: Ledger, log: Journal) -> None:
        self.lease = lease
        self.ledger = ledger
        self.log = log


class Broker:
    """A loopback HTTP server that speaks OpenAI chat completions on behalf of one client.

    Parameters
    ----------
    client : Client
        The engine's client; its own caps hold over all runs together.
    """

    def __init__(self, client: Client) -> None:
        self.client = client
        self._loans: dict[str, _Loan] = {}
        self._lock = threading.Lock()
        self._server = chat_server(self.ask)
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": POLL_S}, name="broker", daemon=True
        )
        self._thread.start()

    @property
    def url(self) -> str:
        """Base URL for OpenAI clients."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def lend(self, run: str, cap: Caps, log: Path) -> Lease:
        """Open the client to one run.

        Parameters
        ----------
        run : str
            Run id, for the log.
        cap : Caps
            Bounds of this run; reaching one is final for it.
        log : Path
            Journal that receives every request of the run.

        Returns
        -------
        Lease
            Address and token.
        """
        lease = Lease(run, self.url, secrets.token_urlsafe(24), cap)
        loan = _Loan(lease, Ledger(cap, self.client.endpoint.price), Journal(log))
        with self._lock:
            self._loans[lease.token] = loan
        return lease

    def revoke(self, lease: Lease) -> Spent:
        """Close the client to a run and return what it used; later requests of it are refused."""
        with self._lock:
            loan = self._loans.pop(lease.token, None)
        return loan.ledger.spent if loan else Spent()

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def ask(self, authorization: str, body: Mapping[str, Any] | None) -> dict[str, Any]:
        """Answer one request of a worker.

        Parameters
        ----------
        authorization : str
            Its Authorization header.
        body : mapping or None
            A chat-completions request; None asks for the list of models.

        Returns
        -------
        dict
            A ``chat.completion`` object, or the list of the one model there is.

        Raises
        ------
        RefusedError
            With the HTTP status and the sentence for the worker.
        """
        loan = self._loan(authorization)
        endpoint = self.client.endpoint
        if body is None:
            model = {"id": endpoint.model, "object": "model", "created": 0, "owned_by": "arena"}
            return {"object": "list", "data": [model]}
        request, count = read_request(body, claude=endpoint.kind == "claude")
        return completion([self._one(loan, request) for _ in range(count)])

    def _loan(self, authorization: str) -> _Loan:
        given = authorization.removeprefix("Bearer ").strip().encode()
        with self._lock:
            for token, loan in self._loans.items():
                if hmac.compare_digest(token.encode(), given):
                    return loan
        raise RefusedError(401, "this token opens nothing (the run may have ended)", "invalid_token")

    def _one(self, loan: _Loan, request: Request) -> Reply:
        try:
            held = loan.ledger.reserve(request)
        except CapReachedError as error:
            self._log(loan, request, None, str(error))
            raise RefusedError(403, str(error), "cap_reached") from error
        reply: Reply | None = None
        try:
            reply = self.client.complete(request, purpose=f"run {loan.lease.run}")
        except CapReachedError as error:
            self._log(loan, request, None, str(error))
            raise RefusedError(403, f"the campaign's own cap: {error}", "cap_reached") from error
        except EngineError as error:
            self._log(loan, request, None, str(error))
            raise RefusedError(502, str(error), "model_unavailable") from error
        finally:
            loan.ledger.settle(held, Usage(0, 0) if reply is None else reply.usage)
        self._log(loan, request, reply, reply.reason)
        if reply.status == "failed":
            raise RefusedError(502, reply.reason or "the model failed", "model_failed")
        return reply

    def _log(self, loan: _Loan, request: Request, reply: Reply | None, reason: str | None) -> None:
        loan.log.append(
            {
                "run": loan.lease.run,
                "model": self.client.endpoint.model,
                "messages": [[message.role, message.text] for message in request.messages],
                "system": request.system,
                "status": reply.status if reply else "refused by the broker",
                "reason": reason,
                "response": reply.text if reply else None,
                "input_tokens": reply.usage.input_tokens if reply else None,
                "output_tokens": reply.usage.output_tokens if reply else None,
                "not_applied": list(reply.not_applied) if reply else None,
            }
        )
