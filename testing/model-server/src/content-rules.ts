import { isObject, type JsonObject } from './json.ts';
import { ensure } from './rules.ts';

/** For each allowed part type, whether a part has the fields that type needs. */
export type PartShapes = Readonly<Record<string, (part: JsonObject) => boolean>>;

export const hasText = ({ text }: JsonObject): boolean => typeof text === 'string';

/** Checks content that is a string or an array of parts, and returns its text. */
export function contentText(content: unknown, shapes: PartShapes, param: string): string {
  if (typeof content === 'string') return content;
  ensure(Array.isArray(content), 'content', param, 'must be a string or an array of parts');
  ensure(content.length > 0, 'content', param, 'must not be an empty array');
  return content.map((part: unknown, index) => partText(part, shapes, `${param}[${index}]`)).join('');
}

function partText(part: unknown, shapes: PartShapes, param: string): string {
  ensure(isObject(part), 'content-part', param, 'must be an object');
  const { type, text } = part;
  ensure(typeof type === 'string', 'content-part', `${param}.type`, 'must be a string');
  const hasShape = Object.hasOwn(shapes, type) ? shapes[type] : undefined;
  const allowed = Object.keys(shapes).join(', ');
  ensure(hasShape !== undefined, 'content-part', `${param}.type`, `'${type}' is not one of: ${allowed}`);
  ensure(hasShape(part), 'content-part', param, `lacks what a part of type '${type}' must have`);
  return typeof text === 'string' ? text : '';
}
