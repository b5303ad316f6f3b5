output size int = 1
