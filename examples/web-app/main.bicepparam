using 'main.bicep'

param prefix = 'contoso'
param size = 'large'
param containers = ['uploads', 'thumbnails']
