"""The fields of a log record: their names, and formats with the time of the record in them."""

import logging
import re
import sys

NAMES = (
    "name msg args levelname levelno pathname filename module exc_info exc_text stack_info lineno funcName created msecs"
    " relativeCreated thread threadName processName process"
).split()


class Keep(logging.Filter):
    def filter(self, record):
        print(
            [name for name in NAMES if not hasattr(record, name)],
            0 <= record.msecs < 1000,
            type(record.msecs).__name__,
            type(record.relativeCreated).__name__,
        )
        print(
            0 <= record.relativeCreated,
            abs(record.msecs - record.created % 1 * 1000) <= 1,
            record.stack_info,
            record.exc_info,
        )
        record.created, record.msecs, record.relativeCreated = 1_700_000_000.25, 250.0, 12.75
        return True


log = logging.getLogger("train")
log.setLevel(logging.INFO)
log.propagate = False
log.addFilter(Keep())
for form, style in (
    ("%(asctime)s.%(msecs)03d %(levelname)-8s %(message)s", "%"),
    ("%(msecs)03d %(relativeCreated)d %(relativeCreated)6.2f %(levelno)s %(name)s %(message)s", "%"),
    ("{msecs:03.0f} {relativeCreated:>8.2f} {levelname} {message}", "{"),
    ("$msecs $relativeCreated ${levelname} $message", "$"),
    ("%(created)f %(module)s %(stack_info)s %(exc_text)s %(message)s", "%"),
):
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(logging.Formatter(form, "%Y" if "asctime" in form else None, style))
    [log.removeHandler(each) for each in list(log.handlers)]
    log.addHandler(handler)
    if style == "%" and "module" in form:
        handler.setFormatter(logging.Formatter(form.replace("%(module)s ", "")))
    log.info("loss %.2f", 0.5)
plain = logging.StreamHandler(sys.stdout)
plain.setFormatter(logging.Formatter("%(asctime)s|%(message)s", "%M:%S"))
[log.removeHandler(each) for each in list(log.handlers)]
log.addHandler(plain)
log.warning("done")
other = logging.getLogger("other")
other.propagate = False
shown = logging.StreamHandler(sys.stdout)
other.addHandler(shown)


class Match(logging.Formatter):
    def format(self, record):
        line = super().format(record)
        return str(bool(re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,(\d{3}) \1 \d+ \d+ \d+ \d+", line)))


shown.setFormatter(Match("%(asctime)s %(msecs)03d %(relativeCreated)d %(process)d %(thread)d %(lineno)d"))
other.warning("y")
for name in ("msecs", "stack_info", "relativeCreated", "exc_text"):
    try:
        other.warning("x", extra={name: 1})
    except KeyError as error:
        print(error)
