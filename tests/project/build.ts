import { print } from '@jkcfg/std';
import * as param from '@jkcfg/std/param';

const name: string = param.String('name', 'web');
print(`built ${name}`);
