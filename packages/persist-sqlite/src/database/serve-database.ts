import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import { systemPlatform, type Platform } from '@conv/core/platform';
import type { AppendItem, AppendOutcome, DatabaseCalls } from '../calls.ts';
import type { SqliteDriver, SqliteDriverModule } from '../driver.ts';
import type { Failure } from '../failure.ts';
import { DatabaseServer, type ThreadSettings } from './database-server.ts';
import { isShortage } from '../shortage.ts';
import { Refusal } from './refusal.ts';

export interface CallMessage<Name extends keyof DatabaseCalls = keyof DatabaseCalls> {
  readonly call: number;
  readonly name: Name;
  readonly input: Parameters<DatabaseCalls[Name]>;
}

/**
 * Message from a database thread: the answer to a call, the keys of conversations that were found to be lost, the identity of the
 * file that it has opened, or that the thread ends before it took any call.
 */
export type ThreadMessage =
  | { readonly call: number; readonly value: unknown }
  | { readonly call: number; readonly failure: Failure }
  | { readonly lost: readonly number[] }
  | { readonly place: string }
  | { readonly unstarted: true };

/** Limits the characters of the commits in one transaction; one commit always fits. */
const GROUP_CHARACTERS = 4 * 1024 * 1024;

/** Answers calls in the order of their arrival. Waiting appends share a transaction. */
export async function serveDatabase(
  port: MessagePort,
  settings: ThreadSettings,
  platform: Platform = systemPlatform,
): Promise<void> {
  const tell = (message: ThreadMessage): void => port.postMessage(message);
  const driver = await load(settings.driver).catch((error: unknown) => {
    tell({ unstarted: true });
    throw error;
  });
  const tellPlace = (place: string): void => tell({ place });
  const server = new DatabaseServer({ settings, driver, tellLost: (lost) => tell({ lost }), tellPlace, platform });
  port.on('message', (first: CallMessage) => {
    const messages = [first, ...waiting(port)];
    for (let at = 0; at < messages.length;) {
      const group = appendsAt(messages, at);
      if (group.length > 0) answerAppends(group, server, tell);
      else answer(messages[at] as OtherMessage, server, tell);
      at += Math.max(1, group.length);
    }
    server.rest();
  });
}

type OtherMessage = CallMessage<Exclude<keyof DatabaseCalls, 'append'>>;
type Tell = (message: ThreadMessage) => void;

function* waiting(port: MessagePort): Generator<CallMessage> {
  for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port))
    yield next.message as CallMessage;
}

function isAppend(message: CallMessage | undefined): message is CallMessage<'append'> {
  return message?.name === 'append';
}

/** Returns the consecutive appends from a message on that fit into one transaction. */
function appendsAt(messages: readonly CallMessage[], from: number): readonly CallMessage<'append'>[] {
  const group: CallMessage<'append'>[] = [];
  let characters = 0;
  for (let at = from; at < messages.length; at++) {
    const message = messages[at];
    if (!isAppend(message)) break;
    for (const { body } of message.input[0]) characters += body.length;
    if (group.length > 0 && characters > GROUP_CHARACTERS) break;
    group.push(message);
  }
  return group;
}

function answerAppends(group: readonly CallMessage<'append'>[], server: DatabaseServer, tell: Tell): void {
  const items: readonly AppendItem[] = group.flatMap(({ input: [input] }) => input);
  let outcomes: readonly AppendOutcome[];
  try {
    outcomes = server.append(items);
  } catch (error) {
    const failure = server.failureOf(error);
    outcomes = items.map(() => failure);
  }
  let at = 0;
  for (const {
    call,
    input: [input],
  } of group) {
    tell({ call, value: outcomes.slice(at, at + input.length) });
    at += input.length;
  }
}

function answer({ call, name, input }: OtherMessage, server: DatabaseServer, tell: Tell): void {
  try {
    tell({ call, value: server.run(name, input) });
  } catch (error) {
    tell({ call, failure: server.failureOf(error) });
  }
}

/**
 * Loads the module of a driver. If that fails, every opening throws `UNSUPPORTED`. A shortage, such as of descriptors, says nothing about the
 * driver: it ends the thread with its reason, and the next call starts another one.
 */
async function load({ name, module }: SqliteDriver): Promise<SqliteDriverModule> {
  try {
    return (await import(module)) as SqliteDriverModule;
  } catch (error) {
    if (isShortage(error)) throw error;
    return {
      openDatabase: () => {
        throw new Refusal('UNSUPPORTED', `the driver ${name} cannot be loaded; install it, or name another driver`, {
          cause: error,
        });
      },
      resultCode: () => undefined,
    };
  }
}
