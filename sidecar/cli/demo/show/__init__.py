"""The example of the editor: a scripted agent, a program of its own."""
