metadata description = 'A store and its shelves, with the types of a provider of our own.'

extension shop with {
  region: 'west'
}

@description('How many shelves the store has.')
@minValue(1)
param shelves int = 2

resource store 'store@v1' = {
  name: 'corner'
  size: 'small'
}

resource shelf 'shelf@v1' = [
  for index in range(0, shelves): {
    name: 'shelf-${index}'
    store: store.name
    boards: 5
  }
]

output url string = store.url
