import logging

from langchain_core.tools import tool

from src.application.actions import current_action_key

logger = logging.getLogger(__name__)


@tool
def send_email(to: str, subject: str, body: str) -> str:
    """Send an email.

    Args:
        to: the email address of the recipient.
        subject: the subject line.
        body: the text of the email.
    """
    _deliver(to, subject, body, idempotency_key=current_action_key())
    return f"Email sent to {to} with subject '{subject}'."


def _deliver(to: str, subject: str, body: str, *, idempotency_key: str | None) -> None:
    """Write a line to the log; nothing is sent. Put the call of your email service here.

    Args:
        to: the recipient's address.
        subject: the subject line.
        body: kept out of the log, as it may be private.
        idempotency_key: pass it on to the service. It stays the same when one approved action is
            delivered twice, so the service can send the email once.
    """
    logger.info(
        "Email to %r with subject %r, %d characters, key %s",
        to,
        subject,
        len(body),
        idempotency_key,
    )


tools = [send_email]
