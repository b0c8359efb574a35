"""The event loop's pool of threads, which does not delay the end of the process."""

import asyncio
from concurrent.futures import ThreadPoolExecutor


class LeavablePool(ThreadPoolExecutor):
    """A pool that does not wait for its threads at the end: one may hang in a file system or in an import."""

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Accept no more work, and drop what has not started. `asyncio.run` calls this with `wait`."""
        super().shutdown(wait=False, cancel_futures=True)


def leave_threads_behind() -> None:
    """Let the running loop end without its threads. The process must then end by `os._exit`."""
    asyncio.get_running_loop().set_default_executor(LeavablePool(thread_name_prefix="asyncio"))
