import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { onTestFinished } from 'vitest';

import type { Conversation } from '@conv/core';
import { isEvent, isText, type Event } from '@conv/core/events';
import type { ConversationStore } from '@conv/core/store';
import { FaultyStore } from '@conv/testing-harness';

import {
  openLocalConversation,
  type LocalConversation,
  type LocalConversationOptions,
  type LocalRuntimeOptions,
} from '../../src/index.ts';
import { ScriptedAgent, type Script } from './scripted-agent.ts';

/** A conversation, and what it is made of. */
export interface Bench {
  readonly conversation: LocalConversation;
  readonly agent: ScriptedAgent;
  readonly store: FaultyStore;
}

/** A folder of this test's own, removed after it. */
export function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'conv-local-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Opens a conversation on a store of its own. */
export async function play(
  script: Script = {},
  options: LocalConversationOptions = {},
  runtime: Partial<LocalRuntimeOptions> = {},
): Promise<Bench> {
  const agent = new ScriptedAgent(script);
  const store = new FaultyStore();
  return { agent, store, conversation: await open(store, { agent, ...options }, runtime) };
}

/** Opens a conversation on this store. */
export function open(
  store: ConversationStore,
  options: LocalConversationOptions = {},
  runtime: Partial<LocalRuntimeOptions> = {},
): Promise<LocalConversation> {
  return openLocalConversation(
    { storeAt: () => store, ...runtime },
    { workspace: freshFolder(), store, subscriberGrace: 20, ...options },
  );
}

const SHORT: Readonly<Record<string, string>> = {
  SystemPromptEvent: 'system',
  ActionEvent: 'action',
  ObservationEvent: 'result',
  UserRejectObservation: 'reject',
  AgentErrorEvent: 'error',
  PauseEvent: 'pause',
  InterruptEvent: 'interrupt',
  ConversationErrorEvent: 'failure',
  HookExecutionEvent: 'hook',
  CondensationRequest: 'request',
  Condensation: 'condensation',
};

/** Returns the events in short form, from the n-th event on. */
export async function story(conversation: Conversation, from = 0): Promise<string> {
  const events = await conversation.events.slice(from);
  return events.map((event) => (isEvent(event, 'MessageEvent') ? event.source : SHORT[event.kind])).join(' ');
}

/** The texts of all messages, in log order. */
export async function texts(conversation: Conversation): Promise<readonly string[]> {
  return (await conversation.events.slice()).flatMap((event) => textOf(event) ?? []);
}

/** The text of a message. */
function textOf(event: Event): string | undefined {
  if (!isEvent(event, 'MessageEvent')) return undefined;
  const { content } = event.llm_message;
  if (!Array.isArray(content)) return '';
  return content
    .filter(isText)
    .map((part) => part.text)
    .join('');
}

/** A promise and its ends: a place where a script waits until the test lets it go on. */
export function gate(): {
  readonly reached: Promise<void>;
  readonly open: () => void;
  readonly pass: () => Promise<void>;
} {
  const reached = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  const pass = (): Promise<void> => {
    reached.resolve();
    return opened.promise;
  };
  return { reached: reached.promise, open: opened.resolve, pass };
}

/** Returns a promise that never settles. */
export function never(): Promise<never> {
  return new Promise(() => {});
}
