"""The loopback server, seen by a worker that is killed."""

import socket
import struct
import threading
import time

import pytest

from engine.models.chat_server import chat_server


@pytest.fixture
def port():
    """The port of a server that answers slowly."""

    def ask(authorization, body):
        time.sleep(0.2)
        return {"data": ["x" * 1_000_000]}

    server = chat_server(ask)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("request_text", [b"GET /v1/models HTTP/1.1\r\n\r\n", b"GET /v1/mod"])
def test_a_worker_that_resets_its_connection_leaves_no_traceback(port, capfd, request_text):
    connection = socket.create_connection(("127.0.0.1", port))
    connection.sendall(request_text)
    time.sleep(0.05)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()
    time.sleep(0.5)
    assert capfd.readouterr().err == ""
