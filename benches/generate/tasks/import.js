import { print } from 'sinew:std';
import { value } from './modules/m499.js';

print(`${value}`);
