import process from 'node:process';

import type { ConversationView } from '@conv/core';

import type { PlaceOptions } from '../conversation/place.ts';
import { checkEventNumber } from '../conversation/event-number.ts';
import { eventLine } from '../conversation/event-line.ts';
import { damageText } from '../conversation/finding-text.ts';
import { fieldsOf, type ReadableConversation } from '../conversation/readable-conversation.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { readFrom } from '../server/read-there.ts';
import { amount } from '../terminal/amount.ts';
import { plain, print, printJson, warn } from '../terminal/output.ts';
import { paletteFor } from '../terminal/palette.ts';

/** Options of `show`. */
export interface ShowOptions extends PlaceOptions {
  readonly at?: number;
  readonly json?: boolean;
}

/** Shows the state and the events of a conversation, now or as they were after an event. */
export async function showCommand(id: string, options: ShowOptions): Promise<ExitCode> {
  await using read = await readFrom(options, id);
  const then = options.at === undefined ? read.state : await stateAfter(read, options.at);
  const count = options.at === undefined ? read.events.length : options.at + 1;
  const events = await read.events.slice(0, count);
  if (options.json) printJson({ ...fieldsOf(then), events });
  else {
    printFacts(read, then, count);
    const width = Math.min(120, process.stdout.columns ?? 100);
    const color = paletteFor(process.stdout);
    for (const [index, event] of events.entries()) {
      print(`${color.dim(`#${index}`.padStart(5))}  ${eventLine(event, width - 8)}`);
    }
  }
  return reportDamage(read);
}

async function stateAfter(read: ReadableConversation, number: number): Promise<ConversationView> {
  checkEventNumber(number, read.events.length);
  return (await read.past.at({ event: number })).state;
}

/** Says what could not be read; the exit code of a command that showed the rest. */
export function reportDamage({ damage }: ReadableConversation): ExitCode {
  for (const each of damage) warn(damageText(each));
  return damage.length > 0 ? exitCodes.storage : exitCodes.done;
}

function printFacts({ id, events }: ReadableConversation, then: ConversationView, count: number): void {
  const color = paletteFor(process.stdout);
  const fact = (name: string, value: string): void => print(`${color.dim(name.padEnd(10))} ${plain(value, 1000)}`);
  const llm = then.agent['llm'] as { readonly model?: string } | undefined;
  print(color.bold(plain(then.title ?? id, 100)));
  fact('id', id);
  fact('status', then.executionStatus);
  fact('created', then.createdAt);
  fact('folder', then.workspace.workingDir);
  fact('model', llm?.model ?? 'unknown');
  fact('asks', policyText(then));
  if (then.damaged) {
    fact('damaged', 'settings may be lost: check these, and confirm them with confirm-damage');
    for (const [name, value] of settingsFacts(then).slice(1)) fact(name, value);
  }
  fact('events', count === events.length ? `${count}` : `${count} of ${events.length}`);
  fact('spent', spentText(then));
  if (then.forkedFrom) fact('fork of', then.forkedFrom.conversationId);
  for (const { tool_name: tool } of then.pendingActions) fact('waiting', tool);
  for (const { title, status } of then.taskList) fact('task', `${status.padEnd(11)} ${plain(title, 80)}`);
  print();
}

/** The settings that damage may have changed, in words. */
export function settingsFacts(then: ConversationView): readonly (readonly [name: string, value: string])[] {
  const { securityAnalyzer, hookConfig, maxIterations, maxBudget, maxBudgetPerRun, toolTimeout } = then;
  const dollars = (amount: number | null): string => (amount === null ? 'none' : `$${amount}`);
  return [
    ['asks', policyText(then)],
    [
      'analyzer',
      securityAnalyzer === null ? 'none' : plain(JSON.stringify(securityAnalyzer['kind']) ?? 'unknown', 100),
    ],
    ['hooks', hookConfig === null ? 'none' : plain(Object.keys(hookConfig).join(', ') || 'none', 200)],
    ['limits', `${maxIterations} responses, budget ${dollars(maxBudget)}, per run ${dollars(maxBudgetPerRun)}`],
    ['timeout', toolTimeout === null ? 'none' : `${toolTimeout} ms for each tool call`],
    ['stuck', then.stuckDetection ? 'loops are detected' : 'loops are not detected'],
  ];
}

function spentText({ metrics }: ConversationView): string {
  const { llmCallCount: calls, inputTokens: input, outputTokens: output, totalCost: cost } = metrics;
  return `${amount(calls, 'model call')}, ${input} tokens in, ${output} out, $${cost.toFixed(4)}`;
}

function policyText({ confirmationPolicy: { kind } }: ConversationView): string {
  if (kind === 'NeverConfirm') return 'never';
  return kind === 'AlwaysConfirm' ? 'before each action' : 'before risky actions';
}
