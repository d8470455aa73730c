"""Operations that reduce dimensions, order elements or run along a dimension."""
