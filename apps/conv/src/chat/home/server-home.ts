import process from 'node:process';

import { type Conversation, ConversationError } from '@conv/core';
import type { JsonObject } from '@conv/core/events';
import type { RemoteConversation, RemoteWorkspace } from '@conv/remote';

import { type Settings, settingsOf } from '../../config/settings.ts';
import { programAgent } from '../../conversation/program-agent.ts';
import { riskAnalyzer } from '../../conversation/safeguards.ts';
import { HeldResources } from '../../held-resources.ts';
import { chooseModel, modelNamed } from '../../model/choose-model.ts';
import type { Program } from '../../program.ts';
import { ConversationThere } from '../../server/remote-conversations.ts';
import { serverArguments, type ServerIn } from '../../server/given-server.ts';
import type { ServerEvent } from '../../server/server-watch.ts';
import type { SessionFolder } from './chat-home.ts';
import { modelOf } from '../session/status-facts.ts';
import { historyFileFor } from '../history/history-file.ts';
import { followChildrenThere } from './children-there.ts';
import { type ChatOptions, chosenPolicy, firstPolicy, namesOf } from './chat-options.ts';
import type { OpenHome } from './local-home.ts';

/** Dependencies of {@link serverHome}. */
export interface ServerHomeDeps {
  readonly workspace: RemoteWorkspace;
  /** Makes the server with another folder, for the sessions of an editor. */
  readonly serverIn?: ServerIn;
  readonly options: ChatOptions;
  readonly program: Program;
  /** Calls back when the server stops answering and when it answers again. Returns the end of listening. */
  readonly watch: (listener: (event: ServerEvent) => void) => () => void;
}

/** Returns the chats of an agent server, which keeps agents, models and keys of its conversations itself. */
export async function serverHome({ workspace, serverIn, options, program, watch }: ServerHomeDeps): Promise<OpenHome> {
  const settings = await settingsOf(options, undefined);
  const held = new HeldResources();
  const known = new Set<string>();
  const create = async (folder: SessionFolder | undefined): Promise<Conversation> => {
    const chosen = held.use(await chooseModel(settings.model, program.standIn));
    const servers = { ...settings.agent.servers, ...folder?.servers };
    const agent = programAgent(chosen.model, { ...settings.agent, servers });
    return await ConversationThere.create({
      agent,
      workspace: folder && serverIn ? serverIn(folder.workspace) : workspace,
      ...settings.conversation,
      ...firstPolicy(options, settings),
    });
  };
  const open = async (id: string | undefined, folder?: SessionFolder): Promise<Conversation> => {
    const conversation = await (id === undefined ? create(folder) : resume(id, workspace, settings, options));
    if (id !== undefined) refuseServers(conversation, folder);
    known.add(modelOf(conversation.state));
    return conversation;
  };
  return {
    place: `on ${workspace.host}`,
    runsOn: true,
    historyFile: historyFileFor(workspace.host),
    connection: { watch },
    open,
    run: (conversation, options) => (conversation as RemoteConversation).run({ ...options, join: true }),
    models: () => Promise.resolve(namesOf(...known, process.env['LLM_MODEL'], settings.model?.name)),
    modelNamed: (name) => programAgent(modelNamed(name)).describe({ secrets: 'plain' })['llm'],
    modelOfFork: ({ state: { agent } }) => withKeyFor(agent['llm']),
    analyzer: () => Promise.resolve(riskAnalyzer()),
    watchChildren: (conversation, listener) =>
      followChildrenThere(conversation, (id) => ConversationThere.resume(id, { workspace }), listener),
    commandFor: (id, command) => `${program.invocation} ${command} ${id}${serverArguments(options)}`,
    [Symbol.asyncDispose]: () => held[Symbol.asyncDispose](),
  };
}

/** Returns a model with the key of the environment, if that is a key for its provider and its address. */
function withKeyFor(llm: unknown): JsonObject | undefined {
  const { model, base_url: there } = (llm ?? {}) as { readonly model?: unknown; readonly base_url?: unknown };
  const [key, named, here] = ['LLM_API_KEY', 'LLM_MODEL', 'LLM_BASE_URL'].map((name) => process.env[name]?.trim());
  if (typeof model !== 'string' || !key || !named || (here || null) !== (there ?? null)) return undefined;
  return providerOf(named) === providerOf(model) ? { ...(llm as JsonObject), api_key: key } : undefined;
}

/** A server has the MCP servers that a conversation was made with. */
function refuseServers({ state: { agent } }: Conversation, folder: SessionFolder | undefined): void {
  const there = new Set(Object.keys((agent['mcp_config'] ?? {}) as JsonObject));
  const missing = Object.keys(folder?.servers ?? {}).filter((name) => !there.has(name));
  if (missing.length === 0) return;
  throw new ConversationError(
    'UNSUPPORTED',
    `mcpServers: expected those that the conversation was made with, found ${missing.join(', ')}; begin a new session for them`,
  );
}

function providerOf(name: string): string {
  return name.split('/')[0] ?? name;
}

function resume(
  id: string,
  workspace: RemoteWorkspace,
  { conversation }: Settings,
  options: ChatOptions,
): Promise<Conversation> {
  return ConversationThere.resume(id, { workspace, ...conversation, ...chosenPolicy(options) });
}
