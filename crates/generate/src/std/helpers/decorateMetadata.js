// Types for decorators (`emitDecoratorMetadata`), if the package reflect-metadata is there.

export default (key, value) => (typeof Reflect.metadata === 'function' ? Reflect.metadata(key, value) : undefined);
