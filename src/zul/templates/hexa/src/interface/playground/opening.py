"""Find a feature and what its agent needs; every playground endpoint starts here."""

import logging

from fastapi import HTTPException

from src.application.AI.agents.react.react import Agent
from src.application.AI.agents.storable import clean_text
from src.application.ports.conversation_stores import ConversationStores
from src.application.turns import MAX_AGENT_STEPS, Turns
from src.interface.http.errors import failure_of
from src.interface.playground.features import Feature, find_feature

logger = logging.getLogger(__name__)


def existing_feature(name: str) -> Feature:
    """Return the feature of this name.

    Raises:
        HTTPException: 404, there is none.
    """
    feature = find_feature(name)
    if feature is None:
        raise HTTPException(404, f"Fitur '{clean_text(name)}' tidak ada")
    return feature


def built_agent(feature: Feature) -> Agent:
    """Return the feature's agent.

    Raises:
        HTTPException: 503 with the reason, it cannot be built.
    """
    try:
        return feature.build_agent()
    except Exception as error:
        logger.exception("The feature %s cannot be built", feature.name)
        raise HTTPException(503, failure_of(error).detail) from error


def turns_of(agent: Agent, stores: ConversationStores, max_steps: int = MAX_AGENT_STEPS) -> Turns:
    """Return the turns of an agent, under the guarantees of the endpoints for clients."""
    return Turns(agent, max_agent_steps=max_steps, lock=stores.lock, reviews=stores.reviews)
