"""SIGINT, SIGTERM and SIGHUP become one exception, so that every `finally` runs; once cleaning up, they wait."""
import contextlib
import signal

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(BaseException):
    def __init__(self, number):
        super().__init__(signal.Signals(number).name)
        self.exit_code = 128 + number


def _raise(number, _frame):
    ignore()
    raise Interrupted(number)


def install():
    for number in SIGNALS:
        signal.signal(number, _raise)


def ignore():
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)


@contextlib.contextmanager
def always(clean_up):
    """Runs the body, then clean_up, whatever happens, undisturbed. clean_up must bear being run twice."""
    try:
        try:
            yield
        finally:  # a signal may still arrive before the next line: hence the second finally
            ignore()
            clean_up()
    finally:
        ignore()
        clean_up()
