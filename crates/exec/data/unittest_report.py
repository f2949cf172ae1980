"""Runs `python -m unittest` as it is, and writes what every test did as JUnit XML.

The file to write is the first argument; the others are unittest's own.
"""
import os
import sys
import time
import unittest
from xml.sax.saxutils import escape, quoteattr

report = sys.argv.pop(1)
sys.path[0] = os.getcwd()


def words(text):
    """Text that XML can hold."""
    return "".join(c if c >= " " or c in "\t\n" else "?" for c in str(text))


def kind_of(test, error):
    """An error that the code under test raises fails the test; one of the test itself may be another matter."""
    kind, _, trace = error
    if kind is None or issubclass(kind, (ImportError, SyntaxError)):
        return "error"
    files = []
    while trace is not None:
        files.append(trace.tb_frame.f_code.co_filename)
        trace = trace.tb_next
    module = sys.modules.get(type(test).__module__)
    own = getattr(module, "__file__", None)
    # What is no code of this project was given something that it can't take, and nobody knows by whom.
    here = os.path.join(os.getcwd(), "")
    last = files[-1] if files else ""
    parts = os.path.relpath(last, here).lower().split(os.sep) if last.startswith(here) else []
    helps = any(part in ("test", "tests", "testing") or part.startswith(("test_", "conftest")) for part in parts)
    is_product = bool(parts) and not helps and "site-packages" not in parts
    return "failure" if own in files and last != own and is_product else "error"


class Result(unittest.TextTestResult):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.told = []
        self.bad = set()

    def tell(self, test, outcome, text=""):
        place, _, name = test.id().rpartition(".")
        self.told.append((place, name, outcome, words(text)))

    def addSuccess(self, test):
        super().addSuccess(test)
        if test.id() not in self.bad:
            self.tell(test, None)

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.tell(test, "failure", self._exc_info_to_string(error, test))

    def addError(self, test, error):
        super().addError(test, error)
        self.tell(test, kind_of(test, error), self._exc_info_to_string(error, test))

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.tell(test, "skipped", reason)

    def addExpectedFailure(self, test, error):
        super().addExpectedFailure(test, error)
        self.tell(test, "skipped", "expected failure")

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.tell(test, "failure", "unexpected success")

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        # The parts of a test have other names every time; what counts is the test.
        if error is not None and test.id() not in self.bad:
            self.bad.add(test.id())
            kind = "failure" if issubclass(error[0], test.failureException) else kind_of(test, error)
            self.tell(test, kind, self._exc_info_to_string(error, test))


class Runner(unittest.TextTestRunner):
    resultclass = Result

    def run(self, test):
        begun = time.time()
        result = super().run(test)
        lines = ['<?xml version="1.0" encoding="utf-8"?>', "<testsuites>"]
        count = {kind: sum(1 for one in result.told if one[2] == kind) for kind in ("failure", "error", "skipped")}
        lines.append(
            '<testsuite name="unittest" tests="%d" failures="%d" errors="%d" skipped="%d" time="%.3f">'
            % (len(result.told), count["failure"], count["error"], count["skipped"], time.time() - begun)
        )
        for place, name, outcome, text in result.told:
            head = "<testcase classname=%s name=%s" % (quoteattr(words(place)), quoteattr(words(name)))
            if outcome is None:
                lines.append(head + "/>")
            else:
                first = text.strip().splitlines()[-1:] or [""]
                lines.append("%s><%s message=%s>%s</%s></testcase>" % (head, outcome, quoteattr(first[0]), escape(text), outcome))
        lines += ["</testsuite>", "</testsuites>"]
        with open(report, "w", encoding="utf-8", errors="replace") as file:
            file.write("\n".join(lines))
        return result


unittest.main(module=None, testRunner=Runner, argv=["python -m unittest"] + sys.argv[1:])
