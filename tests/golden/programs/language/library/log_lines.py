import logging
import sys
import torch
logging.basicConfig(level=logging.INFO, format="%(levelname)s:%(name)s:%(message)s", stream=sys.stdout, force=True)
logger = logging.getLogger(__name__)
logger.info("loss %.4f at %d", torch.tensor(1.5).item(), 3)
logger.debug("not shown")
logger.warning("careful")
logging.info("root %s", torch.ones(2))
logger.setLevel(logging.ERROR)
logger.info("hidden")
logger.error("shown")
print(logger.level, logging.getLevelName(20), logger.isEnabledFor(logging.DEBUG))
try:
    1 / 0
except ZeroDivisionError:
    logger.critical("bad")
styled = logging.StreamHandler(sys.stdout)
styled.setFormatter(logging.Formatter("${levelname} $message", style="$"))
logger.addHandler(styled)
logger.propagate = False
for message in ("one", "two", "$message {x}"):
    logger.error(message)
