import { hasRoomFor, isAddress, isStorageName } from '../validators.bicep'

assert takesSmallLetters = isStorageName('contosodata').kind == 'success'
assert refusesCapitals = isStorageName('Contoso').kind == 'failure'
assert refusesShortNames = isStorageName('ab').kind == 'failure'

assert hasRoom = hasRoomFor('10.0.0.0/24', 256).kind == 'success'
assert hasNoRoom = hasRoomFor('10.0.0.0/25', 256).kind == 'failure'

assert takesAddresses = isAddress('me@example.org').kind == 'success'
assert refusesNames = isAddress('me').kind == 'failure'

test deployed '../main.bicep' = {
  params: {
    storageName: 'contosodata'
    tags: { owner: 'me@example.org' }
  }
}
