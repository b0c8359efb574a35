from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.rpc.transport.outbox import BATCH_BYTES, Outbox


def emptied(outbox: Outbox) -> list[bytes]:
    return [outbox.take() for _ in range(len(outbox)) if len(outbox)]


def large(mark: bytes) -> bytes:
    """A frame that leaves no room for another in a batch."""
    return mark.ljust(BATCH_BYTES, b".")


def marks(outbox: Outbox) -> bytes:
    return b"".join(emptied(outbox)).replace(b".", b"")


def test_frames_leave_in_the_order_they_came() -> None:
    outbox = Outbox()
    for mark in (b"a", b"b", b"c"):
        outbox.push(large(mark))
    assert [frame[:1] for frame in emptied(outbox)] == [b"a", b"b", b"c"]


def test_small_frames_leave_together_and_large_ones_alone() -> None:
    outbox = Outbox()
    for frame in (b"a", b"b", large(b"c"), b"d"):
        outbox.push(frame)
    assert [len(batch) for batch in emptied(outbox)] == [2, BATCH_BYTES, 1]


def test_it_is_full_by_number_and_by_bytes() -> None:
    by_number, by_bytes = Outbox(max_frames=2), Outbox(max_bytes=10)
    by_number.push(b"")
    by_bytes.push(b"x" * 9)
    assert not by_number.full and not by_bytes.full
    by_number.push(b"")
    by_bytes.push(b"x")
    assert by_number.full and by_bytes.full


def test_a_full_queue_drops_notifications_without_a_key() -> None:
    outbox = Outbox(max_frames=1)
    assert outbox.offer(b"a") and not outbox.offer(b"b")
    assert emptied(outbox) == [b"a"]


def test_a_full_queue_replaces_the_last_of_a_key_where_it_waits() -> None:
    outbox = Outbox(max_frames=3)
    for frame, key in ((b"1", "k"), (b"2", "k"), (b"x", None)):
        outbox.offer(frame, key)
    assert outbox.offer(b"3", "k")
    assert marks(outbox) == b"13x"


def test_replacing_after_the_older_one_left_puts_nothing_in_a_dead_place() -> None:
    outbox = Outbox(max_frames=1)
    outbox.offer(b"1", "k")
    outbox.take()
    assert outbox.offer(b"2", "k")
    assert emptied(outbox) == [b"2"]


def test_new_keys_go_in_until_it_is_overloaded() -> None:
    outbox = Outbox(max_frames=2)
    assert [outbox.offer(b"x", key) for key in range(6)] == [True] * 4 + [False] * 2
    assert outbox.overloaded


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(st.sampled_from("ot"), st.binary(max_size=8), st.none() | st.integers(0, 2)), max_size=40
    )
)
def test_bounds_hold_and_nothing_accepted_is_lost(steps: list[tuple[str, bytes, int | None]]) -> None:
    outbox = Outbox(max_frames=3, max_bytes=20)
    newest: dict[int, bytes] = {}
    for action, frame, key in steps:
        if action == "t" and len(outbox):
            outbox.take()
        elif outbox.offer(frame, key) and key is not None:
            newest[key] = frame
        assert len(outbox) <= 6
    left = b"".join(emptied(outbox))
    assert len(left) <= 6 * 8 and not outbox.full and len(outbox) == 0
