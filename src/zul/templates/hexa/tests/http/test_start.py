"""A server starts whatever DATABASE_URL says, and its log says at once what is wrong with it."""

import logging
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from src.interface.http.main import app

OUT_OF_REACH = "postgresql://nobody:s3cret@127.0.0.1:1/none"


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("mysql://nobody:s3cret@h/none", "Pakai `sqlite:///data/app.db`"),
        ("sqlite://", "harus menyebut sebuah berkas"),
        (OUT_OF_REACH, "Connection refused"),
    ],
)
def test_a_wrong_database_shows_in_the_log_at_the_start(
    url: str, reason: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("DATABASE_URL", url)
    with caplog.at_level(logging.ERROR), TestClient(app) as client:
        assert client.get("/health").status_code == 200

    [record] = [each for each in caplog.records if "cannot be used" in each.getMessage()]
    assert "DATABASE_URL" in record.getMessage()
    assert reason in record.getMessage()
    assert record.exc_info is None
    assert "s3cret" not in caplog.text


def test_the_first_request_says_so_without_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", OUT_OF_REACH)
    monkeypatch.setenv("LLM_MODEL", "demo")
    with TestClient(app, raise_server_exceptions=False) as client:
        body = client.post("/chat", json={"message": "halo"}).json()

    assert body["code"] == "internal"
    assert body["detail"] == "Penyimpanan percakapan tidak dapat dihubungi. Coba lagi nanti."


def test_a_database_is_ready_for_the_first_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path / 'app.db'}")
    with TestClient(app):
        pass

    assert (tmp_path / "app.db").exists()
    assert "cannot be used" not in caplog.text


def test_without_a_database_nothing_is_said(caplog: pytest.LogCaptureFixture) -> None:
    with TestClient(app):
        pass

    assert [each for each in caplog.records if each.levelno >= logging.WARNING] == []
