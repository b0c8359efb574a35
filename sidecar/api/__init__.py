"""The types of the wire: what every client sees, declared once."""
