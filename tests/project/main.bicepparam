using 'main.bicep'

param name = 'shopwest'
