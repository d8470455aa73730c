import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(device, repr(device), device.type, device.index, torch.device("cuda", 1), repr(torch.device("cuda:0")))
print(device == torch.device("cpu"), device == "cpu", torch.device("cpu") == torch.device("cpu:0"))
x = torch.ones(2, device=device, requires_grad=True)
print(x.device, x.to(device) is x, x.is_cuda, x.get_device(), x.to(device, torch.float64))
print(torch.cuda.device_count(), torch.backends.mps.is_available())
torch.backends.cudnn.deterministic = True
torch.backends.cudnn.benchmark = False
torch.cuda.manual_seed_all(0)
model = torch.nn.Linear(2, 1).to(device)
print(model, next(model.parameters()).device)
for act in (
    lambda: x.to("foo"),
    lambda: x.to(1),
    lambda: x.to("cuda:x"),
    lambda: x.to(x, x),
    lambda: x.to(dtype="float"),
    lambda: x.cuda(),
    lambda: torch.zeros(2, device="cuda"),
    lambda: torch.device(),
    lambda: torch.device("cpu", -1),
    lambda: torch.device(None),
    lambda: device.foo,
):
    try:
        act()
    except Exception as error:
        print(type(error).__name__, error)
x.to("cuda")
