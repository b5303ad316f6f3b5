export default (value) => ({ ...value, labels: { app: 'shop' } });
