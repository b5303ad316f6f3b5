// What validation functions may answer, in one form: a list of `{ msg, path?, start?, end? }`, empty for a good value.

const isProblem = (answer) => typeof answer === 'object' && answer !== null && 'msg' in answer;

function unrecognised(answer) {
  let text;
  try {
    text = typeof answer === 'object' ? JSON.stringify(answer) : String(answer);
  } catch {
    text = typeof answer;
  }
  return new Error(`unrecognised result from validation function: ${text}`);
}

export function problemsOf(answer) {
  if (answer === 'ok' || answer === true) return [];
  if (answer === false) return [{ msg: 'value not valid' }];
  if (typeof answer === 'string') return [{ msg: answer }];
  if (isProblem(answer)) return [answer];
  if (!Array.isArray(answer)) throw unrecognised(answer);
  return answer.map((item) => {
    if (typeof item === 'string') return { msg: item };
    if (isProblem(item)) return item;
    throw unrecognised(answer);
  });
}

export function formatError(source, { msg, path, start, end }) {
  const text = path === undefined ? msg : `${msg} at ${path}`;
  if (start === undefined) return `${source}: ${text}`;
  const at = ({ line, column }) => `${line}.${column}`;
  return `${source}:${end === undefined ? at(start) : `${at(start)}-${at(end)}`}: ${text}`;
}
