import { print } from 'sinew:std';
print('ready');
