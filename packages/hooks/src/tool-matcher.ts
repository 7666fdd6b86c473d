/** Whether the hooks of a matcher are for the tool of this name. */
export type ToolMatcher = (toolName: string | undefined) => boolean;

const EXPRESSION_CHARACTERS = /[|.*+?[\]()^$\\]/;
// what stands behind a backslash in JavaScript; Python's others would be read as plain letters and match something else
const KNOWN_ESCAPES = 'bBdDsSwWtnrfvxu';

/**
 * Reads a matcher: all, a name, or a regular expression for the whole name.
 * @throws SyntaxError for an expression that is none.
 */
export function toolMatcher(text: string): ToolMatcher {
  if (text === '' || text === '*') return () => true;
  const delimited = text.length > 2 && text.startsWith('/') && text.endsWith('/');
  if (!delimited && !EXPRESSION_CHARACTERS.test(text)) return (toolName) => toolName === text;
  const expression = wholeName(delimited ? text.slice(1, -1) : text);
  return (toolName) => toolName !== undefined && expression.test(toolName);
}

function wholeName(source: string): RegExp {
  const [, letter] = /(?<!\\)(?:\\\\)*\\([A-Za-z])/.exec(withoutKnownEscapes(source)) ?? [];
  if (letter) throw new SyntaxError(`\\${letter} has no meaning in an expression here`);
  // the way in which files written for Python say that case does not matter
  const ignoreCase = source.startsWith('(?i)');
  return new RegExp(`^(?:${ignoreCase ? source.slice(4) : source})$`, ignoreCase ? 'i' : '');
}

function withoutKnownEscapes(source: string): string {
  return source.replaceAll(/\\[\s\S]/g, (escape) => (KNOWN_ESCAPES.includes(escape.charAt(1)) ? '' : escape));
}
