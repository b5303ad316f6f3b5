import { value } from './modules/m499.js';

console.log(`${value}`);
