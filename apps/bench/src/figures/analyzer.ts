import { homedir } from 'node:os';
import { join } from 'node:path';

import { patternSecurityAnalyzer } from '@conv/agent';
import { drafts, type EventDraftOfKind } from '@conv/core/events';
import { forEachChild, parse, type SyntaxNode } from 'unbash';

import { median, type Figure } from '../figure.ts';
import { labelledCommands } from '../labelled-commands.ts';

/** Characters of a long command. */
const LENGTH = 28_000;
/** Maximum characters of a command that counts as typed by a person. */
const SHORT = 2000;

const COMMANDS: Readonly<Record<string, string>> = {
  script: long((at) => `if [ -f "src/file${at}.ts" ]; then cp "src/file${at}.ts" dist && echo "copied ${at}"; fi`),
  words: long((at) => `echo hello world ${at} of some plain words`),
  heredoc: `cat > a.ts <<'END'\n${long((at) => `export const x${at} = { a: 1, b: 'two' };`)}\nEND\n`,
};

/** Bounds of docs/decisions/66 beside the resolved grammar; long scripts, which are not listed, keep to 2. */
const LIMITS: Readonly<Record<string, number>> = { corpus: 6, 'corpus.short': 6, heredoc: 4 };

const options = { signal: new AbortController().signal, workingDirectory: join(homedir(), 'project') };

/**
 * Rating beside the grammar's own work on the same text: bare (`parse` alone, which leaves the parts of words unread) and resolved (with
 * all parts read, as any program must that looks at the words). Once for each command of the labelled corpus, once for long commands.
 */
export async function rating(rounds: number): Promise<readonly Figure[]> {
  const all = await labelledCommands();
  return [
    ...ratingOf('corpus', all, rounds),
    ...ratingOf(
      'corpus.short',
      all.filter(({ length }) => length <= SHORT),
      rounds,
    ),
    ...Object.entries(COMMANDS).flatMap(([name, command]) => ratingOf(name, [command], rounds)),
  ];
}

function ratingOf(name: string, commands: readonly string[], rounds: number): readonly Figure[] {
  const analyzer = patternSecurityAnalyzer();
  const events = commands.map((command) => eventOf(command));
  const [value, bare, resolved] = timed(rounds, [
    () => events.forEach((event) => void analyzer.assess(event, options)),
    () => commands.forEach((command) => void parse(command)),
    () => commands.forEach((command) => visit(parse(command))),
  ]) as [number, number, number];
  return [
    { name: `analyzer.${name}.bare`, value, unit: 'ms', baseline: bare, ratio: value / bare },
    {
      name: `analyzer.${name}.resolved`,
      value,
      unit: 'ms',
      baseline: resolved,
      ratio: value / resolved,
      target: { of: 'ratio', is: 'at most', limit: LIMITS[name] ?? 2 },
    },
  ];
}

function eventOf(command: string): EventDraftOfKind<'ActionEvent'> {
  const call = {
    id: 'call_1',
    name: 'terminal',
    arguments: JSON.stringify({ command }),
    origin: 'completion' as const,
  };
  return drafts.action({
    action: { kind: 'TerminalAction', command, is_input: false, timeout: null, reset: false },
    tool_name: 'terminal',
    tool_call_id: call.id,
    tool_call: call,
    llm_response_id: 'response_1',
  }) as EventDraftOfKind<'ActionEvent'>;
}

function visit(node: SyntaxNode): void {
  forEachChild(node, visit);
}

/** Medians of the processor's time of each work: the clock counts for the longer of them whatever else the machine does. */
function timed(rounds: number, works: readonly (() => void)[]): readonly number[] {
  const measured = works.map((): number[] => []);
  for (let round = 0; round < rounds * 2; round += 1) {
    for (const [at, work] of works.entries()) {
      const start = process.cpuUsage();
      work();
      const { user, system } = process.cpuUsage(start);
      // the first half warms up
      if (round >= rounds) measured[at]?.push((user + system) / 1000);
    }
  }
  return measured.map(median);
}

function long(line: (at: number) => string): string {
  const lines: string[] = [];
  for (let at = 0, length = 0; length < LENGTH; at += 1) length += lines[lines.push(line(at)) - 1]?.length ?? 0;
  return lines.join('\n');
}
