"""The summed dimensions of an equation come in the order of their letters, capitals first, those of the dots before them."""

import torch

torch.manual_seed(0)


def chain(f):
    out, stack = [], [f]
    while stack:
        g = stack.pop(0)
        if g is None:
            continue
        out.append(g.name().removesuffix("Backward0"))
        stack += [h for h, _ in g.next_functions]
    return out


sizes = dict(a=2, b=3, c=2, d=4, e=2, h=3, i=4, j=2, k=5, n=3, q=2, Z=2, B=3)
eqs = "bqd,hde->bhqe bhqe,hed->bqd bihk,hkd->bid bid,dhk->bihk bihk,bjhk->bijh bijh,bjhk->bihk bn,anj,bj->ba zyx,yxz->z kji,ij->k ba,ab-> Zab,Bba->ZB cab,bac,ca->b ij,ji-> hj,kh,jk->hk kd,dke->e ...ij,...ji->... i...,j...->ij i...,...->i abcd,dcba->a bnhk,hkd->bnd".split()
sizes |= dict(x=2, y=3, z=4)
for eq in eqs:
    terms = eq.split("->")[0].split(",")
    ts = [torch.randn(*[sizes[c] for c in t.replace("...", "ab")], requires_grad=True) for t in terms]
    y = torch.einsum(eq, *ts)
    print(eq, y.shape, y.stride(), chain(y.grad_fn))
