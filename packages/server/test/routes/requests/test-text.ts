import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT } from './named-tests.ts';

/** Matches a test of vitest by any of its names, tests of a table too. */
const TEST = /^( *)(?:test|it|describe)\b/gm;

/** A declaration at the top of a file, or in a block of tests. */
const DECLARATION = /^ *(?:export )?(?:const|let|(?:async )?function\*?|class) +(\w+)/;

/**
 * Returns the text of one test: its table, its body, and every declaration of its file that it uses, directly or through another one.
 * Other tests of the file are no part of it. Empty if the file has no such test.
 */
export function textOfTest(file: string, title: string): string {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const at = text.indexOf(`'${title}'`);
  if (at < 0) return '';
  const [start] = [...text.slice(0, at).matchAll(TEST)].slice(-1);
  const indent = start?.[1] ?? '';
  const rest = text.slice(at);
  const end = rest.search(new RegExp(`^${indent}\\}?\\);$`, 'm'));
  const body = text.slice(start?.index ?? at, end < 0 ? text.length : at + end);
  return [body, ...usedBy(body, declarationsOf(text))].join('\n');
}

function usedBy(body: string, declarations: ReadonlyMap<string, string>): readonly string[] {
  const used = new Map<string, string>();
  const follow = (text: string): void => {
    for (const [name] of text.matchAll(/\w+/g)) {
      const declaration = declarations.get(name);
      if (declaration === undefined || used.has(name)) continue;
      used.set(name, declaration);
      follow(declaration);
    }
  };
  follow(body);
  return [...used.values()];
}

/** Each declaration with its name; it ends where the next statement of its depth begins. */
function declarationsOf(text: string): ReadonlyMap<string, string> {
  const lines = text.split('\n');
  const found = new Map<string, string>();
  for (const [at, line] of lines.entries()) {
    const name = DECLARATION.exec(line)?.[1];
    const depth = line.search(/\S/);
    // a local name of one test says nothing of the same name at the top of the file
    if (name === undefined || depth > 2 || (depth > 0 && found.has(name))) continue;
    const after = lines.slice(at + 1);
    const next = after.findIndex((other) => other.search(/\S/) === depth && !/^ *[)\]}]/.test(other));
    found.set(name, lines.slice(at, next < 0 ? undefined : at + 1 + next).join('\n'));
  }
  return found;
}
