import type { ForkInput } from '@conv/core';
import type { RemoteWorkspace } from '@conv/remote';

import { atRest } from '../conversation/at-rest.ts';
import { openHome } from '../conversation/home.ts';
import { type PlaceOptions, placeArguments } from '../conversation/place.ts';
import { ConversationHere } from '../conversation/local-conversations.ts';
import { checkEventNumber } from '../conversation/event-number.ts';
import type { ReadableConversation } from '../conversation/readable-conversation.ts';
import { readConversation } from '../conversation/stored-conversation.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import type { Program } from '../program.ts';
import { CommandError } from '../command-error.ts';
import { givenServer } from '../server/given-server.ts';
import { openThere } from '../server/read-there.ts';
import { note, print } from '../terminal/output.ts';

/** Options of `fork`. */
export interface ForkOptions extends PlaceOptions {
  readonly at?: number;
  readonly title?: string;
}

/** Forks a conversation from an event on. */
export async function forkCommand(
  id: string,
  options: ForkOptions,
  { invocation, defaultStore }: Program,
): Promise<ExitCode> {
  const server = await givenServer(options);
  const fork = await (server ? forkThere(server, id, options) : forkHere(id, options));
  print(fork);
  note(`continue with: ${invocation} resume ${fork} "…"${placeArguments(options, defaultStore)}`);
  return exitCodes.done;
}

async function forkHere(id: string, options: ForkOptions): Promise<string> {
  const source = await look(id, options);
  await using home = await openHome(options.store);
  await using conversation = await ConversationHere.resume(source.id, {
    ...home.options,
    ...atRest(),
  });
  return await conversation.history.fork(forkInput(source.from, options));
}

async function forkThere(workspace: RemoteWorkspace, id: string, options: ForkOptions): Promise<string> {
  await using conversation = await openThere(workspace, id);
  const from = options.at === undefined ? undefined : await eventAt(conversation, options.at);
  return await conversation.history.fork(forkInput(from, options));
}

function forkInput(from: string | undefined, { title }: ForkOptions): ForkInput {
  return { ...(from === undefined ? {} : { from }), ...(title === undefined ? {} : { title }) };
}

async function look(id: string, { store, at }: ForkOptions): Promise<{ id: string; from: string | undefined }> {
  await using stored = await readConversation(store, id);
  return { id: stored.id, from: at === undefined ? undefined : await eventAt(stored, at) };
}

/** The id of an event. Rejects {@link CommandError} when there is none of this number. */
async function eventAt({ events }: Pick<ReadableConversation, 'events'>, at: number): Promise<string> {
  checkEventNumber(at, events.length);
  const id = await events.idAt(at);
  if (id === undefined) throw new CommandError(exitCodes.storage, `event ${at} cannot be read; take one before it`);
  return id;
}
