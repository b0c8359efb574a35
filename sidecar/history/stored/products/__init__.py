"""What each writer's era means: whose task it is, and the forms of its ids."""

from sidecar.history.stored.products.detection import detect_product, product_of_path
from sidecar.history.stored.products.ids import EPOCH_DIGITS, is_epoch_id, is_task_id, is_uuid, time_in_id

__all__ = [
    "EPOCH_DIGITS",
    "detect_product",
    "is_epoch_id",
    "is_task_id",
    "is_uuid",
    "product_of_path",
    "time_in_id",
]
