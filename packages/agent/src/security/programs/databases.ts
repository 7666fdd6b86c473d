import { plainWord } from '../shell/word.ts';
import { namesOf, operandsOf, type Program } from '../commands/call.ts';
import { writeTo } from '../commands/file-access.ts';
import { isForeign } from '../commands/foreign-path.ts';

const DESTROYS =
  /\bdrop\s+(?:database|schema|table|user|role|keyspace)\b|\btruncate\s+(?:table\s+)?\w|\bdropdatabase\s*\(|\bflush(?:all|db)\b|\.drop\s*\(|\bdelete\s+from\s+[\w."`]+\s*(?:;|$)|\bdeletemany\s*\(\s*\{\s*\}/i;

/** True for a statement of a database that destroys data, and for no sentence about one. */
export function destroysData(text: string): boolean {
  return /^\s*(?:drop|truncate|delete|flush\w*|db\.)\b/i.test(text) && DESTROYS.test(text);
}

/** Commands of clients that run programs: `system …` of MySQL, and output into a pipe. */
const RUNS =
  /^(?:--?e(?:xecute)?=?)?\s*(?:system|pager)\s+(.+)|(?:\\[ogw]|\.(?:output|once|import|read))\s+['"]?\|\s*([^'"\n]+)/gm;

/** Files that a statement or a command of a client writes. */
const WRITES =
  /\binto\s+(?:outfile|dumpfile)\s+['"]([^'"]+)|^(?:\\[ogw]|\.(?:output|once|backup|save|log))\s+['"]?([/~.][^'"\s]*)/gim;

/** Files of statements that a client executes. */
const READS = /^(?:--?e(?:xecute)?=?)?\s*(?:source|\\\.|\\ir?|\.read)\s+['"]?([/~.][^'"\s;]*)/gim;

const database: Program = (call) => {
  const { shell, texts, input, name } = call;
  const said = [...texts, input?.text ?? ''].join('\n');
  if (name === 'dropdb' || DESTROYS.test(said)) shell.report('destroy-service');
  const run =
    /(?:^|\s)\\!\s*(.+)/.exec(said) ??
    /\.(?:shell|system)\s+(.+)/.exec(said) ??
    /\b(?:from|to)\s+program\s+(?:\$\w*\$|e?')([^\n]+?)(?:'|\$\w*\$)/i.exec(said);
  for (const [, line, piped = ''] of said.matchAll(RUNS)) shell.read(line ?? piped, { isScript: false });
  if (run?.[1]) shell.read(run[1], { isScript: false });
  if (/\b(?:from|to)\s+program\b/i.test(said)) shell.report('injected-program');
  for (const [, named, path = ''] of said.matchAll(WRITES)) writeTo(named ?? path, shell);
  for (const [, path = ''] of said.matchAll(READS)) if (isForeign(path, shell)) shell.report('run-outside');
  for (const word of operandsOf(call, '-c -e -d -U -h -p -P'))
    if (/^[/~.]/.test(word.text)) shell.run([plainWord('less'), word], undefined);
};

export const databasePrograms: Readonly<Record<string, Program>> = namesOf(
  database,
  'psql mysql mariadb sqlite3 mongosh mongo redis-cli cqlsh clickhouse-client dropdb sqlcmd duckdb',
);
