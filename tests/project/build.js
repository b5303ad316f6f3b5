import { print } from '@jkcfg/std';

print('built');
