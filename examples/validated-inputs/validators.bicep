metadata description = 'Checks that templates share.'

@export()
@description('What a check answers.')
@discriminator('kind')
type answer = { kind: 'success' } | { kind: 'failure', errorMessage: string }

@export()
@description('Storage accounts have names of small letters and digits.')
func isStorageName(value string) answer =>
  empty(storageNameProblem(value))
    ? { kind: 'success' }
    : { kind: 'failure', errorMessage: '"${value}" ${storageNameProblem(value)}' }

@export()
@description('A range of addresses with room for at least so many.')
func hasRoomFor(range string, addresses int) answer =>
  parseCidr(range).cidr <= 32 - bitsOf(addresses)
    ? { kind: 'success' }
    : { kind: 'failure', errorMessage: '${range} has no room for ${addresses} addresses' }

@export()
@description('Somebody who can be asked.')
func isAddress(value string) answer =>
  contains(value, '@') ? { kind: 'success' } : { kind: 'failure', errorMessage: '"${value}" is not an address' }

@export()
@description('The tags that every resource has.')
type ownership = {
  @isAddress()
  owner: string
  @maxLength(256)
  *: string
}

func storageNameProblem(value string) string =>
  length(value) < 3 || length(value) > 24
    ? 'must have 3 to 24 characters'
    : empty(filter(charactersOf(value), c => !contains('abcdefghijklmnopqrstuvwxyz0123456789', c)))
        ? ''
        : 'may only have small letters and digits'

func charactersOf(value string) string[] => map(range(0, length(value)), at => substring(value, at, 1))

func bitsOf(count int) int => length(filter(range(0, 32), bit => reduce(range(0, bit), 1, (all, _) => all * 2) < count))
