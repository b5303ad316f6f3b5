using 'main.bicep'

// Known while compiling: checked at once.
param storageName = 'contosodata'
param addresses = '10.1.0.0/20'

// Known to the pipeline: an expression over external inputs, checked when they are supplied.
param tags = {
  owner: externalInput('sys.envVar', 'OWNER')
  environment: externalInput('sys.cliArgument', 'environment')
}
