"""Dates and their differences, beside tensors and arrays of numbers."""
from datetime import date, datetime, timedelta, timezone

import torch

start = datetime(2024, 2, 28, 23, 30)
end = start + timedelta(hours=1, minutes=45)
print(start, repr(end), end - start, (end - start).total_seconds())
print(timedelta(days=1) * 2, 3 * timedelta(hours=1), timedelta(days=3) / timedelta(days=2), timedelta(days=1) // 7)
print(divmod(timedelta(days=3), timedelta(days=2)), -timedelta(hours=1), abs(timedelta(-1)), sum([end - start], timedelta()))
print(end.date() - date(2024, 1, 1), end.date().isoformat(), end.time(), end > start, isinstance(end, date))
print(start.strftime("%Y-%m-%d %H:%M"), datetime.fromtimestamp(0, timezone.utc), datetime(2024, 1, 1).weekday())
print(f"{end:%H:%M} {end - start}", {timedelta(1): "day"}[timedelta(hours=24)])
hours = torch.tensor([(end - start).total_seconds() / 3600, 2.0], requires_grad=True)
hours.prod().backward()
print(hours.grad)
