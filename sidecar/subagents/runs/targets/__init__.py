"""Which definition and which runner a launch means."""
