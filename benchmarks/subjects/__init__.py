"""The processes that are measured; they run with the generated project's interpreter."""
