"""Wrong arguments of torch.nn.functional: what Python says of the call, and what PyTorch says of the arguments."""

import torch
import torch.nn.functional as F

x, y = torch.ones(2, 3), torch.tensor([0, 2])
image, kernel = torch.ones(1, 2, 5, 5), torch.ones(3, 2, 2, 2)
attempts = [
    lambda: F.relu(), lambda: F.relu([1.0]), lambda: F.relu(x, foo=1), lambda: F.relu(x, False, 1), lambda: F.relu(x > 0),
    lambda: F.elu(x, "a"), lambda: F.elu(torch.tensor([1j])), lambda: F.gelu(x, approximate="x"), lambda: F.softmax("a", 1),
    lambda: F.softmax(x, 2), lambda: F.softmax(x, 1.5), lambda: F.threshold(x), lambda: F.glu(x), lambda: F.leaky_relu(None),
    lambda: F.hardtanh(x, 2.0, 1.0), lambda: F.prelu(x, [1]), lambda: F.logsigmoid(1), lambda: F.tanhshrink(None),
    lambda: F.linear([1], x), lambda: F.linear(x, torch.ones(4, 2)), lambda: F.linear(x, x, bias=3), lambda: F.linear(x),
    lambda: F.bilinear(x, x), lambda: F.embedding(x, x), lambda: F.embedding(y, x), lambda: F.embedding(None, x),
    lambda: F.embedding(y, x, padding_idx=7), lambda: F.embedding_bag(y, x), lambda: F.layer_norm(x, [1.5]),
    lambda: F.layer_norm(x, (2,)), lambda: F.batch_norm(x[:1], None, None, training=True), lambda: F.batch_norm(None, None, None),
    lambda: F.group_norm(x, 2), lambda: F.instance_norm(torch.ones(1, 2, 1)), lambda: F.rms_norm(x, 3),
    lambda: F.conv2d(image, torch.ones(3, 4, 2, 2)), lambda: F.conv2d(image, torch.ones(3, 2, 9, 9)), lambda: F.conv2d(x, kernel),
    lambda: F.conv2d(image, kernel, stride="a"), lambda: F.conv2d(image, kernel, padding="x"), lambda: F.conv2d(image),
    lambda: F.conv2d(image, kernel, groups=2), lambda: F.conv_transpose2d(image, kernel),
    lambda: F.max_pool2d(image), lambda: F.max_pool2d(image, "a"), lambda: F.max_pool2d(image, 9), lambda: F.max_pool2d(image, 2, 2, 2),
    lambda: F.max_pool2d(image, 2, foo=1), lambda: F.avg_pool2d(image, None), lambda: F.avg_pool2d(image, 2, padding=2),
    lambda: F.adaptive_avg_pool2d(image, "a"), lambda: F.adaptive_avg_pool2d([1], 2), lambda: F.lp_pool2d(None, 2, 2),
    lambda: F.dropout(x, 2.0), lambda: F.pad(x, "a"), lambda: F.pad(x, (1,)), lambda: F.pad(x, (3, 3), mode="reflect"),
    lambda: F.interpolate(image), lambda: F.interpolate(image, size=(2, 2, 2)), lambda: F.interpolate(image, 3, mode="linear"),
    lambda: F.unfold(image, 9), lambda: F.fold(x, 4, 2), lambda: F.pixel_shuffle(image, 3), lambda: F.pixel_shuffle(image, "a"),
    lambda: F.one_hot(x), lambda: F.one_hot(y, 2), lambda: F.cosine_similarity(x, 1), lambda: F.pairwise_distance(x),
    lambda: F.mse_loss(x, [1]), lambda: F.mse_loss(x), lambda: F.mse_loss(x, torch.ones(4, 4)), lambda: F.mse_loss(x, x, reduction="x"),
    lambda: F.smooth_l1_loss(x, x, beta=-1.0), lambda: F.huber_loss(x, x, delta=0.0), lambda: F.huber_loss(x, x, delta="a"),
    lambda: F.nll_loss(x, x), lambda: F.nll_loss(x, torch.tensor([0, 5])), lambda: F.nll_loss(x, torch.tensor([0])),
    lambda: F.cross_entropy(x, y.float()), lambda: F.cross_entropy(x, None), lambda: F.cross_entropy(x, y, weight=torch.ones(2)),
    lambda: F.cross_entropy(x, y, label_smoothing=2.0), lambda: F.binary_cross_entropy(x * 2, x), lambda: F.binary_cross_entropy(x, y),
    lambda: F.binary_cross_entropy_with_logits(x, y), lambda: F.kl_div(x, [1], reduction="sum"), lambda: F.hinge_embedding_loss(x, 1),
    lambda: F.multi_margin_loss(x, y, p=3), lambda: F.triplet_margin_loss(x, x, None), lambda: F.soft_margin_loss(x, 1),
    lambda: F.scaled_dot_product_attention(x, x), lambda: F.scaled_dot_product_attention(x, x, "a"),
    lambda: F.linear_cross_entropy(x, torch.ones(4, 2), y), lambda: torch.kl_div(x, x, reduction="sum"),
]  # fmt: skip
for number, attempt in enumerate(attempts):
    try:
        print(number, "no error", attempt().shape)
    except Exception as error:
        print(number, type(error).__name__, error)
