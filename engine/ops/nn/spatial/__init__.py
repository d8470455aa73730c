"""Operations on images and signals: convolutions, pools, resampling."""
