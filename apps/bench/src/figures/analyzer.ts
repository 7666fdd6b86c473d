import { patternSecurityAnalyzer } from '@conv/agent';
import { action } from '@conv/core/events';
import { forEachChild, parse, type SyntaxNode } from 'unbash';

import { median, type Figure } from '../figure.ts';

/** Characters of a long command. */
const LENGTH = 28_000;

const COMMANDS: Readonly<Record<string, string>> = {
  script: long((at) => `if [ -f "src/file${at}.ts" ]; then cp "src/file${at}.ts" dist && echo "copied ${at}"; fi`),
  words: long((at) => `echo hello world ${at} of some plain words`),
  heredoc: `cat > a.ts <<'END'\n${long((at) => `export const x${at} = { a: 1, b: 'two' };`)}\nEND\n`,
};

/** Rating a long command, beside the grammar's own work on the same text with all of its parts resolved. */
export async function rating(rounds: number): Promise<readonly Figure[]> {
  const analyzer = patternSecurityAnalyzer();
  const options = { signal: new AbortController().signal, workingDirectory: '/srv/project' };
  const figures: Figure[] = [];
  for (const [name, command] of Object.entries(COMMANDS)) {
    const call = {
      id: 'call_1',
      name: 'terminal',
      arguments: JSON.stringify({ command }),
      origin: 'completion' as const,
    };
    const event = action({
      action: { kind: 'TerminalAction', command, is_input: false, timeout: null, reset: false },
      tool_name: 'terminal',
      tool_call_id: call.id,
      tool_call: call,
      llm_response_id: 'response_1',
    });
    const value = await timed(rounds, async () => void (await analyzer.assess(event, options)));
    const baseline = await timed(rounds, () => visit(parse(command)));
    figures.push({ name: `analyzer.${name}`, value, unit: 'ms', baseline, ratio: value / baseline });
  }
  return figures;
}

function visit(node: SyntaxNode): void {
  forEachChild(node, visit);
}

async function timed(rounds: number, work: () => void | Promise<void>): Promise<number> {
  const measured: number[] = [];
  for (let round = 0; round < rounds * 2; round += 1) {
    const start = performance.now();
    await work();
    // the first half warms up
    if (round >= rounds) measured.push(performance.now() - start);
  }
  return median(measured);
}

function long(line: (at: number) => string): string {
  const lines: string[] = [];
  for (let at = 0, length = 0; length < LENGTH; at += 1) length += lines[lines.push(line(at)) - 1]?.length ?? 0;
  return lines.join('\n');
}
