import { unfitValue } from './unfit-value.ts';

const MINIMAL_LEAF = 20;
// What a key file begins and ends with says nothing of the key, and ordinary texts contain it.
const ARMOR = /^-----(BEGIN|END) [A-Z0-9 ]+-----$/;
const WRITTEN_BREAK = /\\r\\n|\\n/g;

/**
 * What is to be masked of a value: it as a whole, with and without the white space around it; each of its lines, since files are
 * shown with line numbers; and the long texts in it if it is JSON, such as the private key of a service account.
 */
export function valueParts(value: string): ReadonlySet<string> {
  const parts = new Set<string>();
  // Files are also kept in one line, with their line breaks written as `\n`, and shown as they were.
  const texts = [value, ...jsonTexts(value)].flatMap((text) => [text, text.replaceAll(WRITTEN_BREAK, '\n')]);
  for (const text of texts) {
    addPart(parts, text);
    addPart(parts, text.trim());
    const lines = text.split(/[\r\n]+/);
    if (lines.length === 1) continue;
    for (const line of lines) {
      if (!ARMOR.test(line.trim())) addPart(parts, line.trim());
    }
  }
  return parts;
}

function addPart(parts: Set<string>, part: string): void {
  if (unfitValue(part) === undefined) parts.add(part);
}

/** The texts in a value that is JSON which are long enough, or have more than one line, to be secrets themselves. */
function jsonTexts(value: string): readonly string[] {
  const texts: string[] = [];
  // Not recursive: values may be nested deeper than the stack.
  const waiting: unknown[] = [parsed(value)];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === 'string') {
      if (next.length >= MINIMAL_LEAF || /[\r\n]/.test(next)) texts.push(next);
    } else if (typeof next === 'object' && next !== null) {
      waiting.push(...Object.values(next));
    }
  }
  return texts;
}

/** `undefined` for what is no JSON object or array. */
function parsed(value: string): unknown {
  if (!/^\s*[[{]/.test(value)) return undefined;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return undefined;
  }
}
