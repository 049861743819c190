"""The proxies that are compared: each is a function from `Setting` to `Peer`, listed in `roster.py`."""
