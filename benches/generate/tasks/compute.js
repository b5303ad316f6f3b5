import { print } from 'sinew:std';

const fibonacci = (n) => (n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2));
print(`${fibonacci(30)}`);
