import { plainWord } from '../shell/word.ts';
import { namesOf, operandsOf, type Program } from '../commands/call.ts';

const DESTROYS =
  /\bdrop\s+(?:database|schema|table|user|role|keyspace)\b|\btruncate\s+(?:table\s+)?\w|\bdropdatabase\s*\(|\bflush(?:all|db)\b|\.drop\s*\(|\bdelete\s+from\s+[\w."`]+\s*(?:;|$)|\bdeletemany\s*\(\s*\{\s*\}/i;

/** True for a statement of a database that destroys data, and for no sentence about one. */
export function destroysData(text: string): boolean {
  return /^\s*(?:drop|truncate|delete|flush\w*|db\.)\b/i.test(text) && DESTROYS.test(text);
}

/** Commands of clients that run programs: `system …` of MySQL, and output into a pipe. */
const RUNS =
  /^(?:--?e(?:xecute)?=?)?\s*(?:system|pager)\s+(.+)|(?:\\[ogw]|\.(?:output|once|import|read))\s+['"]?\|\s*([^'"\n]+)/gm;

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
  for (const word of operandsOf(call, '-c -e -d -U -h -p -P'))
    if (/^[/~.]/.test(word.text)) shell.run([plainWord('less'), word], undefined);
};

export const databasePrograms: Readonly<Record<string, Program>> = namesOf(
  database,
  'psql mysql mariadb sqlite3 mongosh mongo redis-cli cqlsh clickhouse-client dropdb sqlcmd duckdb',
);
