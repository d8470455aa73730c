import torch
import torch.nn.functional as F

prediction = torch.tensor([[0.5, -0.25, 0.75], [0.25, 2.0, -1.5]])
signs = torch.tensor([[1.0, -1.0, 1.0], [1.0, 1.0, -1.0]])


def short(tensor):
    return [round(v, 3) for v in tensor.flatten().tolist()]


LOSSES = (F.huber_loss, F.soft_margin_loss, F.smooth_l1_loss, F.mse_loss, torch.cdist, F.hinge_embedding_loss)
for loss in LOSSES:
    for first, second in (("bfloat16", "bfloat16"), ("bfloat16", "float32"), ("float32", "float16"), ("half", "half")):
        given = prediction.to(getattr(torch, first), copy=True).requires_grad_()
        with torch.autocast("cpu", torch.bfloat16):
            made = loss(given, signs.to(getattr(torch, second)))
        made.sum().backward()
        print(loss.__name__, first, second, made.dtype, short(made), given.grad.dtype, short(given.grad))

with torch.autocast("cpu", torch.bfloat16):
    print(F.huber_loss(prediction.bfloat16(), signs, reduction="none", delta=0.5).tolist())
    print(torch.nn.SoftMarginLoss(reduction="sum")(prediction.half(), signs.half()).dtype)
    try:
        print(F.huber_loss(prediction.double().requires_grad_(), signs).backward())
    except RuntimeError as error:
        print(error)
