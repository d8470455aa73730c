# -*- coding: utf-8 -*-
"""模块说明"""
import torch
变量 = torch.tensor([1., 2.], requires_grad=True)
def 损失(张量):
    """计算损失"""
    return (张量 ** 2).sum()
值 = 损失(变量)
值.backward()
print(f"梯度：{变量.grad}，损失：{值:.2f}，{值.item()=}")
