"""Operations that move elements without computing."""
