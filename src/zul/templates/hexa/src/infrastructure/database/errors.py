from src.application.errors import StoreError


class DatabaseConfigurationError(StoreError):
    """The database in ``DATABASE_URL`` cannot be used as it is configured.

    The text names the setting and the way out, and is safe for clients: it never holds the
    address. The log has the details, with the password masked.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.args = (text,)
