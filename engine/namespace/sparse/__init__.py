"""Sparse tensors in coordinates: `torch.sparse_coo_tensor`, `to_sparse`, `torch.sparse`."""
