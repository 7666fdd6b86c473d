import type { RunOptions } from '@conv/core';
import type { ConversationStore } from '@conv/core/store';
import { KillableStore } from '@conv/testing-harness';

import {
  openLocalConversation,
  type LocalConversation,
  type LocalConversationOptions,
  type LocalRuntimeOptions,
} from '../../src/index.ts';
import { gate, open } from './bench.ts';
import { ScriptedAgent, type Script } from './scripted-agent.ts';

/** A conversation whose process ended in the middle of a run. */
export interface Orphan {
  readonly id: string;
  readonly store: KillableStore;
  /** The agent that worked on it. */
  readonly agent: ScriptedAgent;
  /** Opens it again, in another process so to say; the run is kept. */
  readonly adopt: (
    script?: Script,
    options?: LocalConversationOptions,
    runtime?: Partial<LocalRuntimeOptions>,
  ) => Promise<Adopted>;
}

/** The conversation after it was opened again, with its agent. */
export interface Adopted {
  readonly conversation: LocalConversation;
  readonly agent: ScriptedAgent;
}

/** The script of a process, which calls `die` where it is to end. */
export type Dying = (die: () => Promise<never>) => Script;

/** Sends a message, runs, and lets the process end where the script says so. */
export async function orphan(
  script: Dying,
  options: LocalConversationOptions = {},
  runtime: Partial<LocalRuntimeOptions> = {},
  before: (conversation: LocalConversation) => Promise<unknown> = async () => {},
  run: RunOptions = {},
): Promise<Orphan> {
  const store = new KillableStore();
  const end = gate();
  const die = async (): Promise<never> => {
    await end.pass();
    return new Promise(() => {});
  };
  const agent = new ScriptedAgent(script(die));
  const conversation = await open(store, { agent, ...options }, runtime);
  await conversation.sendMessage('go');
  await before(conversation);
  conversation.run(run).catch(() => {});
  await end.reached;
  await store.kill();
  return { id: conversation.id, store, agent, adopt: (...given) => adopt(store, conversation.id, ...given) };
}

/** Opens what is stored with the run kept. */
export async function adopt(
  store: ConversationStore,
  id: string,
  script: Script = {},
  options: LocalConversationOptions = {},
  runtime: Partial<LocalRuntimeOptions> = {},
): Promise<Adopted> {
  const agent = new ScriptedAgent(script);
  const conversation = await openLocalConversation(
    { storeAt: () => store, ...runtime },
    { store, id, agent, interruptedRun: 'resume', subscriberGrace: 20, ...options },
  );
  return { agent, conversation };
}

/** Dies in the second of three calls. */
export const inSecondCall: Dying = (die) => {
  let calls = 0;
  return { think: () => ['work', 'work', 'work'], call: () => (++calls === 2 ? die() : 'ok') };
};
