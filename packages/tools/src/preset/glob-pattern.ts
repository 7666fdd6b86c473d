import { RE2JS } from 're2js';

/**
 * Compiles a pattern of paths into a test: `*`, `?`, `[...]`, `{a,b}`, `**` for any number of folders, and `\` before a character that
 * stands for itself. The test takes time in proportion to the path, whatever pattern a model writes. Throws `SyntaxError`.
 */
export function globPattern(pattern: string): (path: string) => boolean {
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(expressionOf(pattern), RE2JS.DOTALL);
  } catch (cause) {
    throw new SyntaxError(`${pattern} is not a pattern of paths; write one such as **/*.ts`, { cause });
  }
  return (path) => compiled.matches(path);
}

function expressionOf(pattern: string): string {
  let expression = '';
  let depth = 0;
  for (let at = 0; at < pattern.length; at++) {
    const rest = pattern.slice(at);
    const [found = ''] = /^(?:\*\*\/|\*\*|\[[!^]?\]?[^\]/]*\]|\\.|.)/su.exec(rest) ?? [];
    at += found.length - 1;
    // folders that `**` stands for begin where a name begins
    const begins = at - found.length + 1 === 0 || pattern[at - found.length] === '/';
    if (found === '**/') expression += begins ? '(?:[^/]+/)*' : '[^/]*/';
    else if (found === '**') expression += begins ? '.*' : '[^/]*';
    else if (found === '*') expression += '[^/]*';
    else if (found === '?') expression += '[^/]';
    else if (found.length > 1 && found.startsWith('[')) expression += classOf(found);
    else if (found === '{' && rest.includes('}')) {
      depth += 1;
      expression += '(?:';
    } else if (found === '}' && depth > 0) {
      depth -= 1;
      expression += ')';
    } else if (found === ',' && depth > 0) expression += '|';
    else expression += RE2JS.quote(found.length > 1 && found.startsWith('\\') ? found.slice(1) : found);
  }
  return expression + ')'.repeat(depth);
}

function classOf(found: string): string {
  const isNegated = found[1] === '!' || found[1] === '^';
  const members = found.slice(isNegated ? 2 : 1, -1).replaceAll(/^-|[\\\][^]/g, String.raw`\$&`);
  return isNegated ? `[^/${members}]` : `[${members}]`;
}
