export default (value) => ({ ...value, name: value.name ?? 'shop' });
