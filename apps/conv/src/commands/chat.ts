import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import process from 'node:process';

import type { ConversationSummary } from '@conv/core/store';
import type { RemoteWorkspace } from '@conv/remote';

import type { ChatOptions } from '../chat/home/chat-options.ts';
import { localHome, type OpenHome } from '../chat/home/local-home.ts';
import { pipedChat } from '../chat/piped-chat.ts';
import { readInput } from '../chat/read-input.ts';
import { isTalkable, startChat } from '../chat/start-chat.ts';
import { CommandError } from '../command-error.ts';
import { idOf } from '../conversation/short-id.ts';
import { placeText } from '../conversation/home.ts';
import { openedStore } from '../conversation/opened-store.ts';
import { allConversations } from '../conversation/all-conversations.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import type { Program } from '../program.ts';
import { givenServer } from '../server/given-server.ts';
import { type ServerEvent, ServerWatch } from '../server/server-watch.ts';

const PIPED = {
  answered: exitCodes.done,
  waiting: exitCodes.waiting,
  stopped: exitCodes.interrupted,
  failed: exitCodes.failed,
} as const;

/**
 * Talks with an agent: in the terminal, or once with a message from standard input. `first` is the start of an id, or `-` for a message
 * from standard input, as `second` may be.
 */
export async function chatCommand(
  first: string | undefined,
  second: string | undefined,
  options: ChatOptions,
  program: Program,
): Promise<ExitCode> {
  const { id, isPiped } = placeOf(first, second, options);
  const message = isPiped ? await messageFromInput() : undefined;
  const connection = new Connection();
  const workspace = checkedFolder(options);
  const server = await givenServer(options, options.workspace, connection.watch);
  const whole = await wholeId(id, options, server);
  await using home = await homeFor({ ...options, ...workspace }, program, server, connection);
  if (message !== undefined) return PIPED[await pipedChat(home, await home.open(whole), message)];
  const left = await startChat(home, () => home.open(whole));
  return left === undefined ? exitCodes.interrupted : exitCodes.done;
}

/** Interprets the arguments. Throws {@link CommandError} for a combination that has no meaning. */
function placeOf(first: string | undefined, second: string | undefined, { last }: ChatOptions) {
  const usage = (message: string): CommandError => new CommandError(exitCodes.usage, message);
  const id = first === '-' ? undefined : first;
  const dash = first === '-' ? first : second;
  if (dash !== undefined && dash !== '-')
    throw usage(
      `expected - for a message from standard input, found ${JSON.stringify(dash)}; type messages in the chat`,
    );
  if (first === '-' && second !== undefined) throw usage(`expected the id before the -, as in: chat ${second} -`);
  if (id !== undefined && last) throw usage('expected an id or --last, found both');
  const isPiped = dash !== undefined || !process.stdin.isTTY;
  if (!isPiped && !isTalkable())
    throw usage(
      'expected a terminal on standard output; for the answer alone, pipe a message in: echo "…" | conv chat -',
    );
  return { id: last ? ('last' as const) : id, isPiped };
}

async function messageFromInput(): Promise<string> {
  try {
    return await readInput();
  } catch (error) {
    throw new CommandError(exitCodes.usage, error instanceof Error ? error.message : String(error));
  }
}

async function wholeId(
  id: string | undefined,
  { store: address }: ChatOptions,
  server: RemoteWorkspace | undefined,
): Promise<string | undefined> {
  if (id === undefined) return undefined;
  const all = async (): Promise<readonly ConversationSummary[]> => {
    if (server) return await (await import('../server/conversations-there.ts')).conversationsThere(server);
    const opened = await openedStore(address);
    try {
      return await allConversations(opened.store);
    } finally {
      await opened.close();
    }
  };
  if (id !== 'last') return await idOf(id, all);
  const newest = (await all()).find(({ parentId }) => parentId === null);
  if (newest) return newest.id;
  throw new CommandError(
    exitCodes.notFound,
    `--last: there is no conversation ${server ? `on ${server.host}` : `in ${placeText(address)}`}; leave out --last to begin one`,
  );
}

async function homeFor(
  options: ChatOptions,
  program: Program,
  workspace: RemoteWorkspace | undefined,
  connection: Connection,
): Promise<OpenHome> {
  if (workspace === undefined) return await localHome(options, program);
  const { serverHome } = await import('../chat/home/server-home.ts');
  return await serverHome({ workspace, options, program, watch: (listener) => connection.listen(listener) });
}

function checkedFolder({ workspace, server }: ChatOptions): { readonly workspace?: string } {
  if (workspace === undefined || server !== undefined) return {};
  if (existsSync(workspace) && !statSync(workspace).isDirectory())
    throw new CommandError(exitCodes.usage, `the workspace ${workspace} is not a folder; name one with --workspace`);
  return { workspace: resolve(workspace) };
}

/** Passes changes of the connection on to its listeners. */
class Connection {
  readonly watch: ServerWatch = new ServerWatch((event) => {
    for (const listener of this.#listeners) listener(event);
  });
  readonly #listeners = new Set<(event: ServerEvent) => void>();

  listen(listener: (event: ServerEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
