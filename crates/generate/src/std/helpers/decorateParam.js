// A decorator of a parameter as one of the method.

export default (index, decorator) => (target, key) => decorator(target, key, index);
