"""Settings of the engine's tests."""

from hypothesis import settings

# No timed tests: a busy machine must not fail a property.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
