"""The event loop's pool of threads, which does not delay the end of the process."""

import asyncio
from concurrent.futures import ThreadPoolExecutor


class LeavablePool(ThreadPoolExecutor):
    """A pool whose end waits for no thread: one may hang in a file system, or import a module for long."""

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Accept no more work, and start none that waits. `asyncio.run` calls this with `wait`."""
        super().shutdown(wait=False, cancel_futures=True)


def leave_threads_behind() -> None:
    """Let the running loop end without its threads. The process must then end by `os._exit`."""
    asyncio.get_running_loop().set_default_executor(LeavablePool(thread_name_prefix="asyncio"))
