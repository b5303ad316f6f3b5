using '../main.bicep'

param name = 'shopinfra'
