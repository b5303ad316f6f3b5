func isShort(name string) bool => length(name) <= 8

assert takesShortNames = isShort('web')
