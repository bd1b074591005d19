"""Let a model work in a folder. Run: python tests/examples/files.py URL MODEL FOLDER "Write down three rivers."

It reads as it likes. What it would change is shown first, exactly as it would run, and waits for a yes.
"""

import asyncio
import os
import sys

from rillet import Agent, Answer, Request, Toolkit


async def agree(request: Request) -> Answer:
    shown = request.data or {}
    print(request.prompt)
    print(shown.get("diff") or shown.get("shown"))
    said = await asyncio.to_thread(input, "Yes or no? ")
    return Answer(id=request.id, ok=said.strip().lower() in ("y", "yes"))


async def main(base_url: str, model: str, folder: str, prompt: str) -> None:
    key = os.environ.get("API_KEY")
    async with (
        Agent.create(base_url=base_url, model=model, api_key=key, wait_for=agree) as agent,
        Toolkit(builtins={"read", "glob", "grep", "write", "edit"}, workspace=folder) as toolkit,
    ):
        result = await agent.run(prompt, toolkit)
        print(result.text)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
