/** Matches comments, strings and templates. */
const TOKEN = /\/\*[^]*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\[^])*`/g;

/** Matches an import or a re-export; the name of the module stays. */
const IMPORT = /(?:\bfrom|\bimport|\bimport\()\s*$/;

/** Returns a source without its comments and texts, line for line. The code in templates and the modules of imports stay. */
export function codeOf(source: string): string {
  return source.replace(TOKEN, (token, index: number) => {
    if (token.startsWith("'") && IMPORT.test(source.slice(Math.max(0, index - 20), index))) return token;
    const kept = token.startsWith('`') ? (token.match(/\$\{[^}]*\}/g) ?? []) : [];
    return `''${kept.map((code) => codeOf(code.slice(2, -1))).join(';')}${'\n'.repeat(token.split('\n').length - 1)}`;
  });
}
