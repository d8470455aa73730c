import torch

torch.manual_seed(1)  # of which both libraries give vectors of one sign
torch.set_default_dtype(torch.float64)
square = torch.randn(3, 3, requires_grad=True)
tall = torch.randn(4, 3, requires_grad=True)
right = torch.randn(3, 2, requires_grad=True)
weight = torch.randn(3, 3)


def positive(matrix):
    return matrix @ matrix.T + torch.eye(len(matrix))


def twice(function, *given):
    gradients = torch.autograd.grad(function(*given), given, create_graph=True)
    sum(g.pow(2).sum() for g in gradients).backward()


def eigen(matrix):
    values, vectors = torch.linalg.eigh(positive(matrix))
    return values.pow(2).sum() + (vectors.pow(2) * weight).sum()


def singular(matrix, full):
    u, s, vh = torch.linalg.svd(matrix, full_matrices=full)
    return s.pow(2).sum() + u[..., :3].pow(4).sum() + (vh.pow(2) * weight).sum()


twice(eigen, square)
twice(lambda a: torch.linalg.eigh(positive(a))[1].pow(4).sum(), square)
twice(lambda a: singular(a, True), square)
twice(lambda a: singular(a, False), tall)
twice(lambda a: torch.linalg.svd(a)[0].pow(4).sum(), square)
twice(lambda a: torch.linalg.svd(a.T, full_matrices=False)[2].pow(4).sum(), tall)
twice(lambda a: torch.linalg.svd(a)[2].pow(4).sum(), square)
twice(lambda a: torch.linalg.lu(a)[1].pow(2).sum(), square)
twice(lambda a: torch.linalg.lu(a)[1].pow(2).sum() + torch.linalg.lu(a)[2].exp().sum(), square)
twice(lambda a: sum(each.pow(2).sum() for each in torch.linalg.lu(a)), square)
twice(lambda a, b: torch.cholesky_solve(b, torch.linalg.cholesky(positive(a))).pow(2).sum(), square, right)
twice(lambda a, b: torch.cholesky_solve(b, torch.linalg.cholesky(positive(a), upper=True), True).sum(), square, right)
