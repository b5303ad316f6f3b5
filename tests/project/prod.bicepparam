using 'main.bicep'

param count = 3
param region = externalInput('sys.cliArgument', 'region')
