metadata name = 'Web names'
metadata description = 'Makes names for web applications.'

@description('What every name starts with.')
param prefix string = 'web'

@description('The name of the first application.')
output first string = '${prefix}-1'
