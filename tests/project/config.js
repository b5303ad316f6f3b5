export default [{ path: 'shop.yaml', value: { kind: 'Shop', name: 'web' } }];
