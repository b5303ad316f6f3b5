using '../main.bicep'

param count = 1
