from langchain_core.tools import tool

_DEMONSTRATION_DATA = {
    "bandung": "24°C, light rain",
    "denpasar": "30°C, sunny",
    "jakarta": "32°C, cloudy",
    "makassar": "31°C, partly cloudy",
    "medan": "29°C, thunderstorms",
    "semarang": "31°C, hazy",
    "surabaya": "33°C, sunny",
    "yogyakarta": "30°C, partly cloudy",
    "amsterdam": "11°C, windy",
    "london": "14°C, drizzle",
    "new york": "18°C, clear",
    "paris": "16°C, overcast",
    "singapore": "31°C, showers",
    "sydney": "21°C, clear",
    "tokyo": "19°C, clear",
}
"""Fixed values, so that the example needs no network. Put a call to a weather service here."""

_OTHER_NAMES = {"bali": "denpasar", "jogja": "yogyakarta", "singapura": "singapore"}


@tool
def get_weather(location: str) -> str:
    """Get the weather of a city. It knows a few cities only and returns demonstration data.

    Args:
        location: the name of one city, such as "Jakarta".
    """
    city = location.partition(",")[0].strip()
    key = " ".join(city.lower().split())
    weather = _DEMONSTRATION_DATA.get(_OTHER_NAMES.get(key, key))
    if weather is None:
        return f"No weather data for {city or 'an empty location'}."
    return f"Weather in {city}: {weather} (demonstration data)."


tools = [get_weather]
