import torch
from einops import rearrange, reduce, repeat, einsum, pack, unpack, parse_shape, EinopsError
x = torch.ones(2, 3)
for f in (lambda: rearrange(x, 'a b c -> a b c'), lambda: rearrange(x, 'a b -> a'), lambda: rearrange(x, 'a b -> a b c'),   lambda: rearrange(x, 'a (b c) -> a b c', c=2), lambda: rearrange(x, 'a a -> a'), lambda: rearrange(x, 'a b - > b a') , lambda: rearrange(x, 'a b -> (b a'), lambda: rearrange(x, 'a b) -> b a'),
  lambda: rearrange(x, '((a b)) -> a b'), lambda: rearrange(x, 'a b -> b a', c=3), lambda: rearrange(x, 'a b -> b a', a=3), lambda: rearrange(x, 'a 3 -> a 3'), lambda: rearrange(x, '... -> a ...'),
  lambda: rearrange(x, 'a b -> ...'), lambda: rearrange(x, 'a .. -> a'), lambda: rearrange(x, '_a b -> b _a'), lambda: reduce(x, 'a b -> a', 'foo'), lambda: reduce(x, 'a b -> c', 'sum'), lambda: repeat(x, 'a b -> a b c'),
  lambda: repeat(x, 'a b -> a'), lambda: rearrange([], 'a -> a'), lambda: rearrange(3, 'a -> a'), lambda: reduce(torch.ones(2, dtype=torch.long), 'a -> ', 'mean'), lambda: einsum(x, 'a b'), lambda: einsum(x), lambda: einsum(x, 'a b -> c'),
  lambda: einsum(x, 'a (b c) -> a'), lambda: einsum(x, 'a 2 -> a'), lambda: einsum('a b -> a', x), lambda: pack([x], 'a b'), lambda: pack([x], 'a b c *'), lambda: unpack(x, [(1,), (2,)], '* a b'), lambda: unpack(x, [(1,), (5,)], 'a *'),
  lambda: parse_shape(x, 'a b c'), lambda: parse_shape(x, '(a b)'), lambda: rearrange(x, 'a b'), lambda: rearrange(x, '1a b -> b 1a'), lambda: rearrange(x, 'a 1 -> a'), lambda: rearrange(x, '(a ...) -> a ...'), lambda: repeat(x, 'a b -> a b 0'), lambda: rearrange(x, 'a $ -> a')):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e).replace('\n', '|'))
