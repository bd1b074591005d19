"""Let a model call a function. Run: python tests/examples/weather.py http://localhost:11434/v1 llama3.2

The function's name, docstring and type hints are all that the model is told of it.
"""

import asyncio
import os
import sys
from typing import Annotated

from rillet import Agent, StreamEvent, Toolkit, tool


@tool
def get_weather(city: Annotated[str, "Name of the city"]) -> str:
    """The current weather of a city."""
    return f"sunny in {city}"


def show(event: StreamEvent) -> None:
    match event.type:
        case StreamEvent.Kind.TOOL_CALL:
            print(f"calling {event.name} with {event.args} …")
        case StreamEvent.Kind.TOOL_RESULT:
            print(f"it says: {event.output}")


async def main(base_url: str, model: str) -> None:
    async with (
        Agent.create(base_url=base_url, model=model, api_key=os.environ.get("API_KEY")) as agent,
        Toolkit(builtins=False, extra_tools=[get_weather]) as toolkit,
    ):
        result = await agent.stream("What is the weather in Chennai?", toolkit, show)
        print(result.text)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
