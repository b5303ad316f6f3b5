// What the server says about versions and values, in the form that lists show. Nothing here knows the editor.

export interface ApiChange {
  path: string;
  text: string;
  concernsResource: boolean;
}

interface Position {
  line: number;
  character: number;
}

export interface Origin {
  uri: string;
  range: { start: Position; end: Position };
  value: string;
  from: Origin[];
}

/** One item for each change; what concerns the resource is marked. */
export function describeChanges(changes: ApiChange[]): { label: string; description: string }[] {
  return changes.map(({ path, text, concernsResource }) => ({
    label: concernsResource ? `$(warning) ${path}` : path,
    description: text,
  }));
}

/** All origins, each before those that its own value is made of. */
export function flattenOrigins(origins: Origin[]): Origin[] {
  return origins.flatMap((origin) => [origin, ...flattenOrigins(origin.from)]);
}
