import torch
from torch.jit import Final, ScriptModule, script_method
from typing import List, Optional
print(torch.jit.is_scripting(), torch.jit.is_tracing(), torch.jit.annotate(List[int], [1]))
