"""Operations with index tensors and masks."""
