export default (value) => ('kind' in value ? true : 'there is no kind');
