"""Go on with a conversation, also after a restart. Run: python tests/examples/memory.py URL MODEL "My name is Ann."

Then run it again with another sentence: the file remembers the first.
"""

import asyncio
import os
import sys

from rillet import Agent, ConversationFile, StreamEvent


def show(event: StreamEvent) -> None:
    if event.type is StreamEvent.Kind.USAGE and event.usage is not None:
        print(f"{event.usage.total_tokens} tokens so far")


async def main(base_url: str, model: str, prompt: str) -> None:
    async with (
        ConversationFile("memory.db") as file,
        Agent.create(
            base_url=base_url, model=model, api_key=os.environ.get("API_KEY"), conversation_store=file
        ) as agent,
    ):
        result = await agent.stream(prompt, on_event=show, id="session-1")
        print(result.text)
        print(f"{len(result.messages)} messages are remembered")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
