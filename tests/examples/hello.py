"""Watch an answer arrive. Run: python tests/examples/hello.py http://localhost:11434/v1 llama3.2

Any server that speaks the OpenAI style will do; a key is read from API_KEY.
"""

import asyncio
import os
import sys

from rillet import Agent, StreamEvent


async def main(base_url: str, model: str) -> None:
    async with Agent.create(base_url=base_url, model=model, api_key=os.environ.get("API_KEY")) as agent:
        run = agent.stream("Say hello.")
        async for event in run:
            if event.type is StreamEvent.Kind.TEXT:
                print(event.delta, end="", flush=True)
        result = await run
        print(f"\n{result.status} after {result.turns} turn")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
