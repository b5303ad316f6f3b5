import * as param from '@jkcfg/std/param';

interface Shop {
  kind: string;
  name: string;
}

const shop: Shop = { kind: 'Shop', name: param.String('name', 'web') };

export default [{ path: 'shop.yaml', value: shop }];
