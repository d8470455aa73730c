import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule

model, x = torch.nn.Linear(2, 2), torch.ones(1, 2)
with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as prof:
    with record_function("model"):
        print(model(x).shape)
print(type(prof.key_averages().table(sort_by="cpu_time_total", row_limit=10)).__name__)
steps = []
with profile(schedule=schedule(wait=1, warmup=1, active=2), acc_events=True, on_trace_ready=lambda p: steps.append(p.step_num)) as prof:
    for _ in range(9):
        prof.step()
print(steps, schedule(wait=1, warmup=1, active=2, repeat=1)(3))
with torch.autograd.profiler.profile() as prof:
    model(x).sum().backward()
try:
    schedule(wait=-1, warmup=0, active=1)
except AssertionError as error:
    print(error)
