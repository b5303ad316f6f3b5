output size int = 2
