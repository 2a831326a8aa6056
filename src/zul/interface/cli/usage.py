from zul.interface.cli.console import Console


def explain_usage(error: Exception, console: Console) -> None:
    """Say what is wrong with the command line and where the right form is shown."""
    command = getattr(getattr(error, "ctx", None), "command_path", "zul")
    console.fail(_cause(error), f"Cara pakai: {command} --help")


def _cause(error: Exception) -> str:
    # Told apart by name: typer keeps these classes private.
    option = getattr(error, "option_name", "")
    match type(error).__name__:
        case "NoSuchOption":
            return f"Opsi {option!r} tidak dikenal."
        case "BadOptionUsage" if "requires" in str(error):
            return f"Opsi {option!r} butuh nilai."
        case "BadOptionUsage":
            return f"Opsi {option!r} tidak menerima nilai."
        case _:
            return f"Perintah tidak dipahami. {error}"
