using 'main.bicep'

// From the environment of the pipeline.
param accountName = toLower('store${externalInput('sys.envVar', 'TEAM')}')

// From a tool of our own: a script answers for it.
param commit = externalInput('contoso.git', { what: 'commit' })
