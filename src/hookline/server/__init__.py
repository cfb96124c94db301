"""The decision server: the engine, for agents in other languages and other machines, over HTTP."""
