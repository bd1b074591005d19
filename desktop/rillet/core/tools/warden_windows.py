"""What ``warden`` is on Windows: the command and everything that it starts live in a job that dies with us.

A program of its own, of the standard library only. It puts itself into the job before it starts anything, so nothing
can be started outside it; the job ends with its only handle, which is ours, however we end. Above: nothing. Below:
``processes`` starts it and stops the command by ending it.

    warden_windows PARENT COMMAND …        the process to live as long as, then what to run

Standard input, output and error are the command's; the exit code is the command's too. Written by the documentation of
Win32 and read, not run: nobody had a Windows here.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from ctypes import wintypes
from typing import Any

SYNCHRONIZE = 0x00100000
INFINITE = 0xFFFFFFFF
EXTENDED_LIMITS = 9
"""JobObjectExtendedLimitInformation"""
KILL_ON_JOB_CLOSE = 0x2000
NOT_STARTED = 127


class BasicLimits(ctypes.Structure):
    """JOBOBJECT_BASIC_LIMIT_INFORMATION"""

    _fields_ = (
        ("per_process_user_time", ctypes.c_int64),
        ("per_job_user_time", ctypes.c_int64),
        ("limit_flags", wintypes.DWORD),
        ("minimum_working_set", ctypes.c_size_t),
        ("maximum_working_set", ctypes.c_size_t),
        ("active_process_limit", wintypes.DWORD),
        ("affinity", ctypes.c_size_t),
        ("priority_class", wintypes.DWORD),
        ("scheduling_class", wintypes.DWORD),
    )


class ExtendedLimits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION"""

    _fields_ = (
        ("basic", BasicLimits),
        ("io_counters", ctypes.c_uint64 * 6),
        ("process_memory", ctypes.c_size_t),
        ("job_memory", ctypes.c_size_t),
        ("peak_process_memory", ctypes.c_size_t),
        ("peak_job_memory", ctypes.c_size_t),
    )


def main(arguments: list[str]) -> int:
    """Run the command; return when it or the parent has ended."""
    kernel = _kernel()
    if not _enter_job(kernel):
        return NOT_STARTED  # rather nothing than something that nobody could end
    parent = kernel.OpenProcess(SYNCHRONIZE, False, int(arguments[0]))
    try:
        # By number: without redirection a child would get no handles of ours, pipes included.
        command = subprocess.Popen(arguments[1:], stdin=0, stdout=1, stderr=2)  # noqa: S603 (was judged before)
    except OSError as error:
        os.write(2, f"{error.strerror}\n".encode())
        return NOT_STARTED
    handles = (wintypes.HANDLE * 2)(kernel.OpenProcess(SYNCHRONIZE, False, command.pid), parent)
    kernel.WaitForMultipleObjects(2 if parent else 1, handles, False, INFINITE)
    code = command.poll()
    os._exit(1 if code is None else code & 0xFFFFFFFF)  # with us the job, and all that is left in it


def _kernel() -> Any:
    if sys.platform == "win32":
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        for name in ("CreateJobObjectW", "GetCurrentProcess", "OpenProcess"):
            getattr(kernel, name).restype = wintypes.HANDLE
        return kernel
    raise RuntimeError("jobs are a matter of Windows")


def _enter_job(kernel: Any) -> bool:
    job = wintypes.HANDLE(kernel.CreateJobObjectW(None, None))  # never closed: it ends with this process
    limits = ExtendedLimits(basic=BasicLimits(limit_flags=KILL_ON_JOB_CLOSE))
    is_limited = kernel.SetInformationJobObject(job, EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits))
    return bool(is_limited and kernel.AssignProcessToJobObject(job, wintypes.HANDLE(kernel.GetCurrentProcess())))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
