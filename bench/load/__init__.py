"""The service under load, over loopback, on one machine with its clients."""
