import process from 'node:process';
import { Readable, Writable } from 'node:stream';

import { ndJsonStream } from '@agentclientprotocol/sdk';
import { connectEditor, EDITOR_MODES, type EditorOptions } from '@conv/acp';
import { type Conversation, ConversationError, errorText } from '@conv/core';
import { contentParts, isEvent, joinedText } from '@conv/core/events';

import type { SessionFolder } from '../chat/home/chat-home.ts';
import type { ChatOptions } from '../chat/home/chat-options.ts';
import { localHome, type OpenHome } from '../chat/home/local-home.ts';
import { nameByMessage } from '../chat/session/name-by-message.ts';
import { CommandError } from '../command-error.ts';
import { riskAnalyzer } from '../conversation/safeguards.ts';
import { editorServers } from '../editor/editor-servers.ts';
import { sessionsIn, sessionsThere } from '../editor/list-sessions.ts';
import { openWhenReleased } from '../editor/open-when-released.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { HeldResources } from '../held-resources.ts';
import type { Program } from '../program.ts';
import { givenServerIn } from '../server/given-server.ts';
import { plain, warn } from '../terminal/output.ts';
import { programVersion } from '../version.ts';

/** Options of `acp`. */
export type AcpOptions = Omit<ChatOptions, 'last' | 'json'>;

/**
 * Serves an editor over standard input and output with the Agent Client Protocol. Resolves when the editor has gone and the runs that it
 * began have ended, or go on on their server.
 */
export async function acpCommand(options: AcpOptions, program: Program): Promise<ExitCode> {
  const { home, list, mcp } = await homeFor(options, program);
  await using held = new HeldResources();
  held.use(home);
  const open = new Map<string, Conversation>();
  const keep = (conversation: Conversation): Conversation => {
    open.set(conversation.id, conversation);
    held.use(conversation);
    return conversation;
  };
  const editor = connectEditor(ndJsonStream(outputStream(), inputStream()), {
    create: async ({ cwd, mcpServers }) => {
      const workspace = options.workspace ?? cwd;
      const conversation = keep(await home.open(undefined, { workspace, servers: editorServers(mcpServers) }));
      nameByFirstMessage(conversation);
      return conversation;
    },
    open: async (id, { cwd, mcpServers }) => {
      const folder = { workspace: cwd, servers: editorServers(mcpServers) };
      return open.get(id) ?? keep(await openWhenReleased(() => openWhole(home, id, folder)));
    },
    list,
    modes: EDITOR_MODES.map((mode) => (mode.id === 'ask-risky' ? { ...mode, analyzer: riskAnalyzer() } : mode)),
    mcp,
    info: { name: 'conv', title: 'conv', version: programVersion() },
    onError: (error) => warn(plain(errorText(error), 2_000)),
  });
  // an editor that stops reading has gone; the run must not end with it
  process.once('SIGINT', () => editor.close());
  await editor.closed;
  if (!home.runsOn) await editor.settled();
  process.stdin.destroy();
  return exitCodes.done;
}

/** Opens by whole ids alone, and refuses others as the protocol does. */
async function openWhole(home: OpenHome, id: string, folder: SessionFolder): Promise<Conversation> {
  const missing = (): ConversationError =>
    new ConversationError('NOT_FOUND', `there is no session ${id}; check the id, or list the sessions`);
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) throw missing();
  try {
    return await home.open(id, folder);
  } catch (error) {
    throw error instanceof CommandError && error.exitCode === exitCodes.notFound ? missing() : error;
  }
}

interface EditorHome extends Pick<EditorOptions, 'mcp'> {
  readonly home: OpenHome;
  readonly list: NonNullable<EditorOptions['list']>;
  readonly mcp: NonNullable<EditorOptions['mcp']>;
}

/** A server takes no MCP servers that are programs, because those are on the machine of the editor. */
async function homeFor(options: AcpOptions, program: Program): Promise<EditorHome> {
  const serverIn = await givenServerIn(options);
  if (!serverIn)
    return {
      // the error that an editor shows has the address of a login
      home: await localHome(options, program, { waits: false }),
      list: sessionsIn(options.store),
      mcp: ['stdio', 'http', 'sse'],
    };
  const { serverHome } = await import('../chat/home/server-home.ts');
  const workspace = serverIn(options.workspace);
  const home = await serverHome({ workspace, serverIn, options, program, watch: () => () => undefined });
  return { home, list: sessionsThere(workspace), mcp: ['http', 'sse'] };
}

/** Gives a conversation the start of its first message as its title, by which editors list it. */
function nameByFirstMessage(conversation: Conversation): void {
  const subscription = conversation.subscribe((event) => {
    if (!isEvent(event, 'MessageEvent') || event.source !== 'user') return;
    subscription.unsubscribe();
    const text = joinedText(contentParts(event.llm_message));
    void nameByMessage(conversation, text).catch((error: unknown) => warn(plain(errorText(error), 2_000)));
  });
}

function outputStream(): WritableStream<Uint8Array> {
  return Writable.toWeb(process.stdout) as WritableStream<Uint8Array>;
}

function inputStream(): ReadableStream<Uint8Array> {
  return Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
}
