from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.rpc.transport.frame_queue import BATCH_BYTES, FrameQueue


def emptied(queue: FrameQueue) -> list[bytes]:
    return [queue.take() for _ in range(len(queue)) if len(queue)]


def large(mark: bytes) -> bytes:
    """A frame that leaves no room for another in a batch."""
    return mark.ljust(BATCH_BYTES, b".")


def marks(queue: FrameQueue) -> bytes:
    return b"".join(emptied(queue)).replace(b".", b"")


def test_frames_leave_in_the_order_they_came() -> None:
    queue = FrameQueue()
    for mark in (b"a", b"b", b"c"):
        queue.push(large(mark))
    assert [frame[:1] for frame in emptied(queue)] == [b"a", b"b", b"c"]


def test_small_frames_leave_together_and_large_ones_alone() -> None:
    queue = FrameQueue()
    for frame in (b"a", b"b", large(b"c"), b"d"):
        queue.push(frame)
    assert [len(batch) for batch in emptied(queue)] == [2, BATCH_BYTES, 1]


def test_it_is_full_by_number_and_by_bytes() -> None:
    by_number, by_bytes = FrameQueue(max_frames=2), FrameQueue(max_bytes=10)
    by_number.push(b"")
    by_bytes.push(b"x" * 9)
    assert not by_number.full and not by_bytes.full
    by_number.push(b"")
    by_bytes.push(b"x")
    assert by_number.full and by_bytes.full


def test_a_full_queue_drops_notifications_without_a_key() -> None:
    queue = FrameQueue(max_frames=1)
    assert queue.offer(b"a") and not queue.offer(b"b")
    assert emptied(queue) == [b"a"]


def test_a_full_queue_replaces_the_last_of_a_key_where_it_waits() -> None:
    queue = FrameQueue(max_frames=3)
    for frame, key in ((b"1", "k"), (b"2", "k"), (b"x", None)):
        queue.offer(frame, key)
    assert queue.offer(b"3", "k")
    assert marks(queue) == b"13x"


def test_replacing_after_the_older_one_left_puts_nothing_in_a_dead_place() -> None:
    queue = FrameQueue(max_frames=1)
    queue.offer(b"1", "k")
    queue.take()
    assert queue.offer(b"2", "k")
    assert emptied(queue) == [b"2"]


def test_new_keys_go_in_until_it_is_overloaded() -> None:
    queue = FrameQueue(max_frames=2)
    assert [queue.offer(b"x", key) for key in range(6)] == [True] * 4 + [False] * 2
    assert queue.overloaded


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(st.sampled_from("ot"), st.binary(max_size=8), st.none() | st.integers(0, 2)), max_size=40
    )
)
def test_bounds_hold_and_nothing_accepted_is_lost(steps: list[tuple[str, bytes, int | None]]) -> None:
    queue = FrameQueue(max_frames=3, max_bytes=20)
    newest: dict[int, bytes] = {}
    for action, frame, key in steps:
        if action == "t" and len(queue):
            queue.take()
        elif queue.offer(frame, key) and key is not None:
            newest[key] = frame
        assert len(queue) <= 6
    left = b"".join(emptied(queue))
    assert len(left) <= 6 * 8 and not queue.full and len(queue) == 0
