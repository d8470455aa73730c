"""`torch.fft`, `torch.stft` and windows."""
