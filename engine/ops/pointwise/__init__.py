"""Operations on elements."""
