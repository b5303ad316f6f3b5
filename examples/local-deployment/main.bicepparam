using 'main.bicep'

param name = 'contosodata'
