import torch

g = torch.Generator()
print(g.initial_seed(), g.device, torch.rand(2, generator=g))
g.manual_seed(5)
state = g.get_state()
first = torch.randn(5, generator=g)
g.set_state(state)
print((torch.randn(5, generator=g) == first).all(), state.shape, state.dtype)
torch.manual_seed(-5)
print(torch.initial_seed(), torch.randperm(5, generator=g), torch.randint(9, (3,), generator=g))
saved = torch.get_rng_state()
with torch.random.fork_rng():
    print(torch.manual_seed(3) is torch.default_generator, torch.rand(2))
print((torch.get_rng_state() == saved).all())
for make in (
    lambda: torch.set_rng_state(torch.zeros(3)),
    lambda: torch.set_rng_state(torch.zeros(3, dtype=torch.uint8)),
):
    try:
        make()
    except (TypeError, RuntimeError) as error:
        print(type(error).__name__, error)
torch.manual_seed(2**64)
