metadata description = 'What every part of the landing zone must hold to.'

@export()
@discriminator('kind')
type answer = { kind: 'success' } | { kind: 'failure', errorMessage: string }

@export()
@description('Names are made of an environment, a workload and a number: prod-shop-001.')
func isWorkloadName(value string) answer =>
  length(split(value, '-')) == 3 && contains(['dev', 'test', 'prod'], split(value, '-')[0]) && length(split(value, '-')[2]) == 3
    ? { kind: 'success' }
    : { kind: 'failure', errorMessage: '"${value}" is not ENVIRONMENT-WORKLOAD-NNN, as in prod-shop-001' }

@export()
@description('Networks lie in the range that the company has, and have room for a hundred machines.')
func isCompanyNetwork(range string, prefix string) answer =>
  startsWith(range, prefix) && parseCidr(range).cidr <= 25
    ? { kind: 'success' }
    : { kind: 'failure', errorMessage: '${range} is outside of ${prefix}* or has no room: /25 or larger is needed' }

@export()
@description('Who pays, and who can be asked.')
type ownership = {
  @minLength(4)
  costCentre: string
  @isAddress()
  owner: string
}

@export()
func isAddress(value string) answer =>
  contains(value, '@') ? { kind: 'success' } : { kind: 'failure', errorMessage: '"${value}" is not an address' }
