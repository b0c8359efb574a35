"""The example that the extension offers: a scripted agent, as a program of its own."""
