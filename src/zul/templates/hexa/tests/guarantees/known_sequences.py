"""Sequences that broke a rule once."""

from tests.guarantees.mortal import Fault
from tests.guarantees.steps import Call, Decide, Say, Step, Steps

OK: Call = (True, "ok")
RAISE: Call = (True, "raise")
BAD: Call = (True, "bad")
FREE: Call = (False, "ok")
FREE_BAD: Call = (False, "bad")
APPROVE = Decide(("approve",))


def _crash(point: str, passing: int = 1) -> Fault:
    return Fault("crash", point, passing)


KNOWN: dict[str, Steps] = {
    "a neighbour that failed took the results of a step without a checkpoint with it": [
        Step(Say(((FREE_BAD, RAISE, FREE),))),
        Step(APPROVE, _crash("put.before", 2)),
        Step(Say(((OK,),))),
    ],
    "a closed turn had its results in another order than its calls": [
        Step(Say(((OK, OK, OK),))),
        Step(Decide(("edit", "reject", "approve")), Fault("outage", "put.after")),
        Step(Say(((OK,),))),
    ],
    "a closed turn lost the call that had no checkpoint yet": [
        Step(Say(((FREE,), (BAD,))), Fault("outage", "put.after", 2)),
        Step(Say()),
    ],
    "a closed turn lost the user's message that had no checkpoint yet": [
        Step(Say(((OK,),)), _crash("model.before")),
        Step(Say(((OK,),)), _crash("model.before")),
    ],
    "a message repeated after a crash in its review was stored twice": [
        Step(Say(((OK,),))),
        Step(APPROVE, _crash("model.before")),
        Step(Say(((OK,),)), _crash("model.before")),
        Step(Say(again=True)),
    ],
}
