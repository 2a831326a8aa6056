import pytest

from src.domain.templates.prompt.human_in_the_loop.human_in_the_loop_prompt_templates import (
    HUMAN_IN_THE_LOOP_SYSTEM_PROMPT,
)
from src.domain.templates.prompt.react.react_prompt_templates import REACT_SYSTEM_PROMPT
from src.domain.templates.prompt.subagents.subagents_prompt_templates import (
    EMAIL_AGENT_SYSTEM_PROMPT,
    SUPERVISOR_SYSTEM_PROMPT,
    WEATHER_AGENT_SYSTEM_PROMPT,
)

PROMPTS = (
    REACT_SYSTEM_PROMPT,
    HUMAN_IN_THE_LOOP_SYSTEM_PROMPT,
    SUPERVISOR_SYSTEM_PROMPT,
    WEATHER_AGENT_SYSTEM_PROMPT,
    EMAIL_AGENT_SYSTEM_PROMPT,
)


def test_every_agent_has_a_prompt_of_its_own() -> None:
    assert len({prompt.strip() for prompt in PROMPTS}) == len(PROMPTS)
    assert all(prompt.strip() for prompt in PROMPTS)


@pytest.mark.parametrize("prompt", [WEATHER_AGENT_SYSTEM_PROMPT, EMAIL_AGENT_SYSTEM_PROMPT])
def test_a_subagent_is_told_that_only_its_last_message_counts(prompt: str) -> None:
    assert "only your last message" in prompt
