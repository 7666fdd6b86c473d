import { RE2JS } from 're2js';

/** Returns true if the matcher selects the tool with this name. */
export type ToolMatcher = (toolName: string | undefined) => boolean;

const EXPRESSION_CHARACTERS = /[|.*+?[\]()^$\\]/;

/**
 * Returns a matcher: all, a name, or a regular expression for the whole name, which is matched in time linear in the name. An
 * expression with look-around or a backreference cannot be matched in this way. It matches every tool, because hooks that run too
 * often are safer than hooks that do not run.
 * @throws SyntaxError if the text is not a regular expression.
 */
export function toolMatcher(text: string): ToolMatcher {
  if (text === '' || text === '*') return () => true;
  const delimited = text.length > 2 && text.startsWith('/') && text.endsWith('/');
  if (!delimited && !EXPRESSION_CHARACTERS.test(text)) return (toolName) => toolName === text;
  const source = delimited ? text.slice(1, -1) : text;
  const expression = linear(source);
  if (expression === undefined) return () => true;
  return (toolName) => toolName !== undefined && expression.matches(toolName);
}

/** Returns the expression; `undefined` if only a matcher with backtracking can read it. */
function linear(source: string): RE2JS | undefined {
  try {
    return RE2JS.compile(source);
  } catch (cause) {
    if (!isReadable(source)) throw new SyntaxError(`${source} is not a regular expression`, { cause });
    process.emitWarning(
      `the matcher ${source} looks around itself or back, and is taken for every tool`,
      'HookWarning',
    );
    return undefined;
  }
}

/** True if JavaScript or Python can read the expression. */
function isReadable(source: string): boolean {
  const translated = source
    .replace(/^\(\?[a-zA-Z]+\)/, '')
    .replaceAll('(?P<', '(?<')
    .replaceAll(/\(\?P=(\w+)\)/g, String.raw`\k<$1>`)
    .replaceAll(String.raw`\Z`, '$');
  try {
    return new RegExp(translated) instanceof RegExp;
  } catch {
    return false;
  }
}
