/** Translates the syntax of a Python pattern into that of JavaScript; `undefined` if it is no valid expression then. */
export function readablePattern(pattern: string): string | undefined {
  const source = pattern
    .replace(LEADING_FLAGS, '')
    .replaceAll('(?P<', '(?<')
    .replaceAll(/\(\?P=(\w+)\)/g, String.raw`\k<$1>`)
    .replaceAll(/\\[AZ]/g, (end) => (end === String.raw`\A` ? '^' : '$'));
  try {
    RegExp(source, 'im');
    return source;
  } catch {
    return undefined;
  }
}

const LEADING_FLAGS = /^\(\?[aimsux]{1,6}\)/;

/** Returns the inline flags at the start of a Python pattern, as flags of JavaScript. */
export function patternFlags(pattern: string): string {
  return (LEADING_FLAGS.exec(pattern)?.[0] ?? '').replaceAll(/[^ims]/g, '');
}
