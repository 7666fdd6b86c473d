import fc from 'fast-check';

import { toCommitSeq, type Commit } from '@conv/core/store';

import type { LocalConversation } from '../../src/index.ts';
import { play } from './bench.ts';
import type { Answer } from './scripted-agent.ts';

/** Commands of people and programs, between runs and in the middle of a run. */
const COMMANDS = [
  'send',
  'pause',
  'interrupt',
  'approve',
  'approveFirst',
  'reject',
  'always',
  'never',
  'title',
] as const;
type Command = (typeof COMMANDS)[number];

/** A life of a conversation, to be played. */
export interface Life {
  readonly answers: readonly Answer[];
  /** The command at the n-th call of the model or a tool. */
  readonly during: readonly (Command | undefined)[];
  /** The commands before each run. */
  readonly between: readonly Command[];
  /** Maximum number of calls at the same time. Default 1. */
  readonly concurrency?: number;
  /** Turns of the microtask queue that the n-th call takes. Default: none, it ends at once. */
  readonly pace?: readonly number[];
}

/** Lives with several calls, one after the other or at the same time, policies, messages, approvals, pauses and interruptions. */
export const anyLife: fc.Arbitrary<Life> = fc.record({
  answers: fc.array(
    fc.oneof(
      fc.constantFrom<Answer>('done', '', ['finish'], ['!nope'], ['work', '!nope', 'work']),
      fc.array(fc.constantFrom('work', 'fail'), { minLength: 1, maxLength: 3 }),
    ),
    { minLength: 1, maxLength: 5 },
  ),
  during: fc.array(fc.option(fc.constantFrom(...COMMANDS), { nil: undefined, freq: 2 }), { maxLength: 8 }),
  between: fc.array(fc.constantFrom(...COMMANDS), { minLength: 1, maxLength: 5 }),
  concurrency: fc.constantFrom(1, 2, 3),
  pace: fc.array(fc.nat(60), { maxLength: 8 }),
});

/** The start of a call's tool: the number of durable commits at that moment. */
export interface Begun {
  readonly callId: string;
  readonly after: number;
}

/** The commits and starts that a life left behind. */
export interface Recording {
  readonly id: string;
  readonly commits: readonly Commit[];
  readonly begun: readonly Begun[];
}

/** Plays a life and records every commit. */
export async function record(life: Life): Promise<Recording> {
  const begun: Begun[] = [];
  let moments = 0;
  const moment = (): void => {
    const command = life.during[moments++];
    if (command) void obey(conversation, command);
  };
  const { conversation, store } = await play({
    think: ({ number }) => {
      moment();
      return life.answers[number - 1] ?? 'done';
    },
    ...(life.concurrency === undefined ? {} : { concurrency: life.concurrency }),
    resources: ({ tool_name: tool }) => (tool === 'fail' ? ['shared'] : []),
    call: async (tool, _, { tool_call_id: callId }) => {
      const turns = life.pace?.[begun.length] ?? 0;
      begun.push({ callId, after: conversation.state.end.seq });
      moment();
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      if (tool === 'fail') throw new Error('told to fail');
      return 'ok';
    },
  });
  await conversation.sendMessage('begin');
  for (const command of life.between) {
    await obey(conversation, command);
    await conversation.run({ maxIterations: 4 }).catch(() => {});
  }
  await conversation.state.transaction(() => {});
  const reader = await store.read(conversation.id);
  if (!reader) throw new Error('nothing was stored');
  const commits = await Array.fromAsync(reader.commits({ from: toCommitSeq(0) }));
  await conversation.close();
  return { id: conversation.id, commits, begun };
}

function obey(conversation: LocalConversation, command: Command): Promise<unknown> {
  const { settings, state } = conversation;
  const [first] = state.pendingActions;
  const acts: Record<Command, () => Promise<unknown>> = {
    send: () => conversation.sendMessage('and this'),
    pause: () => conversation.pause(),
    interrupt: () => conversation.interrupt(),
    approve: () => conversation.approve(),
    approveFirst: () => conversation.approve(first ? [first.id] : []),
    reject: () => conversation.reject(undefined, 'no'),
    always: () => settings.setConfirmationPolicy({ kind: 'AlwaysConfirm' }),
    never: () => settings.setConfirmationPolicy({ kind: 'NeverConfirm' }),
    title: () => settings.setTitle('t'),
  };
  // a call may have started or ended since it was looked at
  return acts[command]().catch(() => {});
}
