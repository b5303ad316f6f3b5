using 'main.bicep'

param workloads = [
  {
    name: 'prod-shop-001'
    range: '10.20.0.0/22'
    tags: {
      costCentre: '4711'
      owner: 'shop@contoso.example'
    }
  }
  {
    name: 'test-shop-001'
    range: '10.20.8.0/24'
    tags: {
      costCentre: '4711'
      owner: 'shop@contoso.example'
    }
  }
]
