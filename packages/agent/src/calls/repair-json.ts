import { isDeeperThan, mapTexts, parseJson } from '../base/json.ts';

/** The deepest nesting of arguments. No tool takes deeper ones, and functions that walk JSON would overflow. */
const MAX_DEPTH = 100;

/** Parses JSON text, also with raw control characters in strings or garbage behind its end, else `undefined`. */
export function parseLoosely(text: string): unknown {
  const value = parseRepaired(text) ?? parseRepaired(firstValue(text) ?? text);
  if (value === undefined || isDeeperThan(MAX_DEPTH, value)) return undefined;
  // halves of characters cannot be written as UTF-8, and the reference fails on them
  const whole = (text: string): string => text.toWellFormed();
  return mapTexts(value, whole, whole);
}

function parseRepaired(text: string): unknown {
  return parseJson(text) ?? parseJson(escapeControls(text));
}

/** Escapes control characters inside strings; between tokens they are either white space or beyond repair. */
function escapeControls(text: string): string {
  let inString = false;
  let result = '';
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (inString && character === '\\') {
      result += character + text.charAt(index + 1);
      index += 1;
      continue;
    }
    if (character === '"') inString = !inString;
    result += inString && character < ' ' ? JSON.stringify(character).slice(1, -1) : character;
  }
  return result;
}

/** Returns the text from the first bracket to the bracket that closes it; `undefined` if there is none. */
export function firstValue(text: string): string | undefined {
  const start = text.search(/[[{]/);
  if (start === -1) return undefined;
  let depth = 0;
  let inString = false;
  for (let index = start; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (inString && character === '\\') index += 1;
    else if (character === '"') inString = !inString;
    else if (!inString && (character === '{' || character === '[')) depth += 1;
    else if (!inString && (character === '}' || character === ']')) {
      depth -= 1;
      if (depth === 0) return text.slice(start, index + 1);
    }
  }
  return undefined;
}
