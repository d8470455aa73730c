import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.onnx
from torch.utils.checkpoint import get_device_states, set_device_states
from torch.utils.hooks import RemovableHandle
from torch.utils.data._utils.collate import default_collate
from typing import Optional


class Deterministic(torch.nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def record(self, *args):
        self.cpu_state = torch.get_rng_state()
        self.gpu_devices, self.gpu_states = get_device_states(*args)

    def forward(self, *args, set_rng=False):
        if not set_rng:
            self.record(*args)
            return self.net(*args)
        with torch.random.fork_rng(devices=self.gpu_devices, enabled=True):
            torch.set_rng_state(self.cpu_state)
            set_device_states(self.gpu_devices, self.gpu_states)
            return self.net(*args)


def world_size(group: Optional[object] = None, stream: Optional[torch.cuda.Stream] = None, event: torch.cuda.Event = None) -> int:
    return dist.get_world_size() if dist.is_available() and dist.is_initialized() else 1


torch.manual_seed(0)
layer = Deterministic(torch.nn.Dropout(0.5))
x = torch.ones(6)
print(torch.equal(layer(x), layer(x, set_rng=True)), world_size(), torch.xpu.is_available(), torch.onnx.is_in_onnx_export())
print(isinstance(layer.register_forward_hook(lambda *a: None), RemovableHandle), default_collate([{'a': 1}, {'a': 2}]))
for f in (dist.get_rank, lambda: dist.all_reduce(x, op=dist.ReduceOp.SUM), lambda: torch.cuda.Event(enable_timing=True), torch.cuda.Stream, dist.destroy_process_group):
    try: f()
    except Exception as e: print(type(e).__name__, e)
print(x.share_memory_().is_shared(), torch.ones(1).is_shared(), mp.get_start_method())
