"""What classes and functions of a program may be beyond plain ones: classes of classes, and names that are set."""
