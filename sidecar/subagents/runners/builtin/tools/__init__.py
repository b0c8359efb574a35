"""What the model can do: tools, each bounded, and the folder that they work in."""
