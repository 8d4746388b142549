"""What holds for all tests."""

import signal

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts what runs in its background so, and the programs under test would inherit it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
