import {
  checks,
  ConversationError,
  type ConversationErrorCode,
  isConversationError,
  type Limits,
  type RemoteWorkspaceDescription,
} from '@conv/core';
import type { JsonObject } from '@conv/core/events';
import { isObject } from '@conv/core/platform';
import type { Tool } from '@conv/core/tool';
import { conversationRoutes, IDEMPOTENCY_KEY_HEADER } from '@conv/openhands/rest';
import { eventsSocket, sessionSocket } from '@conv/openhands/sockets';

import type { ConversationLink } from './commands/conversation-link.ts';
import { checkTime } from './transport/check-input.ts';
import { ConversationApi } from './transport/conversation-api.ts';
import { checkOptions, checkReleases, createRequest, refusedAgent, type CheckedOptions } from './create-request.ts';
import { EventPages } from './sources/event-pages.ts';
import { EventReader, type PlaceFinder } from './sources/event-reader.ts';
import { RemoteConversation } from './remote-conversation.ts';
import type { RemoteConversationOptions } from './remote-conversation-options.ts';
import { checkKept, describedThere, findOwnTools, toClientTool, type FoundTools } from './commands/own-tools.ts';
import { toId } from './commands/remote-history.ts';
import { capabilitiesOf, type ServerCapabilities } from './transport/server-capabilities.ts';
import { pathOf, toServerCall } from './transport/call-route.ts';
import { parseJson, type ServerClient } from './transport/server-client.ts';
import { readServerInfo } from './transport/server-info.ts';
import { CommitStateSource } from './sources/commit-state-source.ts';
import { CommitReader } from './sources/commit-reader.ts';
import { EventStateSource } from './sources/event-state-source.ts';
import { Follower } from './sync/follower.ts';
import { RemoteState } from './sync/remote-state.ts';
import { isAgent } from './commands/to-wire.ts';
import { RemoteWorkspace } from './workspace/remote-workspace.ts';
import { isStartable } from './workspace/startable-workspace.ts';

/** Options of the remote runtime. */
export interface RemoteRuntimeOptions {
  /**
   * Milliseconds between pings on a socket; after two without an answer the socket is reopened. After one without a frame REST is
   * asked whether a frame was lost. Default 20 s.
   */
  readonly heartbeat?: number;
  /**
   * Milliseconds for which `finished` or `paused` must last before the run counts as ended, on a server that may report the end too
   * early and has no socket that shows it. Also the time for such a server to begin a run that it has accepted. Default 30 s.
   */
  readonly finishedGrace?: number;
}

/** Factor of `requests.requestTimeout`: the time for which a server may show a shorter log than before. */
const SHORTER = 4;

interface Found {
  readonly info: JsonObject;
  readonly made: boolean;
}

/** Opens or makes a conversation on the server of its workspace. Rejects `ConversationError`, or `signal.reason`. */
export async function openRemoteConversation(
  runtime: RemoteRuntimeOptions,
  options: RemoteConversationOptions,
): Promise<RemoteConversation> {
  const checked = checkOptions(options);
  const workspace = await workspaceOf(options.workspace, options.signal);
  const closing = new AbortController();
  const client = workspace.connect(options.platform);
  try {
    const { signal } = options;
    const capabilities = capabilitiesOf(await readServerInfo(client, signal));
    const id = options.id === undefined ? client.platform.id() : toId(options.id);
    if (!capabilities.callAnswers && options.clientTools?.some(({ answers }) => answers === 'caller'))
      throw new ConversationError(
        'UNSUPPORTED',
        'this server does not let clients answer calls; leave out clientTools that the caller answers',
        {
          conversationId: id,
        },
      );
    const tools: FoundTools = isAgent(options.agent)
      ? await findOwnTools(client, options.agent, capabilities, signal)
      : { own: [], there: [] };
    const { own } = tools;
    const found = await findOrMake(client, id, workspace, withOwnTools(options, own), {
      ...checked,
      agent: checked.agent && describedThere(checked.agent, tools),
    });
    const api = new ConversationApi(client, id, closing.signal);
    if (!found.made) checkReleases(found.info, options);
    api.learn(found.info);
    const link = await follow(runtime, workspace, api, capabilities, closing.signal);
    const { visualizer, agent, subscribers = [], subscriberGrace = 1000 } = options;
    const conversation = new RemoteConversation({
      ...link,
      resumed: !found.made,
      own,
      agent: isAgent(agent) ? agent : undefined,
      llm: isObject(checked.agent?.['llm']) ? checked.agent['llm'] : undefined,
      secrets: options.secrets ?? {},
      visualizer: (typeof visualizer === 'function' ? new visualizer() : visualizer) ?? undefined,
      subscriberGrace,
      finishedGrace: checkTime('finishedGrace', runtime.finishedGrace, 30_000),
      closing,
    });
    for (const subscriber of subscribers) conversation.subscribe(subscriber);
    if (!found.made) checkKept(own, conversation.state.clientTools);
    await applyOptions(conversation, found, options, checked);
    signal?.throwIfAborted();
    return conversation;
  } catch (error) {
    closing.abort(error);
    await client.close();
    throw error;
  }
}

/** Resolves with the server of a workspace, which is started if it starts on first use. */
async function workspaceOf(
  workspace: RemoteWorkspaceDescription,
  signal: AbortSignal | undefined,
): Promise<RemoteWorkspace> {
  if (workspace instanceof RemoteWorkspace) return workspace;
  if (typeof workspace !== 'object' || workspace === null || workspace.kind !== 'RemoteWorkspace')
    throw checks.invalid(checks.wrongValue('Conversation: workspace', 'new RemoteWorkspace({ host })', workspace));
  if (isStartable(workspace)) return workspace.start({ signal });
  return new RemoteWorkspace({ host: workspace.host, workingDir: workspace.workingDir });
}

function withOwnTools(options: RemoteConversationOptions, own: readonly Tool[]): RemoteConversationOptions {
  return { ...options, clientTools: [...(options.clientTools ?? []), ...own.map(toClientTool)] };
}

async function findOrMake(
  client: ServerClient,
  id: string,
  workspace: RemoteWorkspace,
  options: RemoteConversationOptions,
  checked: CheckedOptions,
): Promise<Found> {
  const { create = 'ifMissing', signal } = options;
  const fail = (code: ConversationErrorCode, message: string): ConversationError =>
    new ConversationError(code, message, { conversationId: id });
  const existing = options.id === undefined ? undefined : await find(client, id, signal);
  if (existing && create === 'must')
    throw fail('EXISTS', `conversation ${id} exists already; open it, or choose another id`);
  if (!existing && create === 'never')
    throw fail(
      'NOT_FOUND',
      `there is no conversation ${id} on the server ${workspace.host}; give the address of the server that holds it, or make a new one with create instead of resume`,
    );
  if (existing) {
    const refused = refusedAgent(existing['agent'], checked.agent, fail);
    if (refused) throw refused;
    return { info: existing, made: false };
  }
  if (!checked.agent)
    throw fail('AGENT_REQUIRED', 'a new conversation needs an agent; give agent: createAgent({ model, tools })');
  const body = createRequest(id, workspace.workingDir, options, checked);
  // with this key, a repeated request gets the conversation of the first; a client that creates it at the same time with other
  // options has another key
  const headers = { [IDEMPOTENCY_KEY_HEADER]: client.platform.id() };
  const sending = { headers, repeatable: true, signal, conversationId: id };
  const call = toServerCall(conversationRoutes.start, { body }, sending);
  const answer = await client.send(call);
  const others = answer.status === 200 && !answer.afterLostAnswer;
  if (others && create === 'must')
    throw fail('EXISTS', `conversation ${id} exists already; open it, or choose another id`);
  return { info: parseJson(answer, call) as JsonObject, made: !others };
}

async function find(
  client: ServerClient,
  id: string,
  signal: AbortSignal | undefined,
): Promise<JsonObject | undefined> {
  try {
    const params = { conversation_id: id };
    const call = toServerCall(conversationRoutes.get, { params }, { signal, conversationId: id });
    return (await client.json(call)) as JsonObject;
  } catch (error) {
    if (isConversationError(error, 'NOT_FOUND')) return undefined;
    throw error;
  }
}

/** Reads the current state, and opens a socket that keeps it up to date. */
async function follow(
  { heartbeat }: RemoteRuntimeOptions,
  workspace: RemoteWorkspace,
  api: ConversationApi,
  capabilities: ServerCapabilities,
  closed: AbortSignal,
): Promise<ConversationLink> {
  const { connection } = api.client;
  const backoff = workspace.requests.backoff ?? {};
  const placeNear: PlaceFinder = async (index) => commits?.placeNear(index);
  const reader = new EventReader(new EventPages(api.client, api.id, closed), placeNear);
  const commits: CommitReader | undefined = capabilities.commits ? new CommitReader(api, reader) : undefined;
  const numbered = capabilities.sessionSocket;
  const source = commits
    ? new CommitStateSource(reader, commits)
    : new EventStateSource({ platform: api.client.platform, reader, info: () => api.info(), numbered });
  const reading = { platform: connection.platform, backoff, closed };
  const state = new RemoteState(reader, await source.open(), { ...reading, runsOpenCalls: !capabilities.approvals });
  const params = { conversation_id: api.id };
  const socketUrl = (after: number, unsure: boolean): URL => {
    if (!numbered) return connection.address.socket(pathOf(eventsSocket, params));
    // commits are compared by REST; without them the last known event is asked for once more, to compare it
    const known = unsure && !commits ? Math.max(-1, after - 1) : after;
    return connection.address.socket(pathOf(sessionSocket, params), { after_seq: known });
  };
  const follower = new Follower({
    conversationId: api.id,
    state,
    source,
    reader,
    numbered,
    socketUrl,
    connection: {
      platform: connection.platform,
      headers: connection.headers,
      agent: workspace.socketAgent,
      ca: connection.ca,
      heartbeat: checkTime('heartbeat', heartbeat, 20_000),
      mask: (text) => api.client.mask(text),
    },
    backoff,
    shorterTimeout: SHORTER * (workspace.requests.requestTimeout ?? 15_000),
    secretsChanged: async () => capabilities.missingSecrets && api.info(),
    closed,
  });
  follower.start();
  return { api, state, follower, commits, capabilities, closed };
}

/** Applies all options to a stored conversation, and to a new one the options that the request to make it cannot carry. */
async function applyOptions(
  { settings }: RemoteConversation,
  { made }: Found,
  options: RemoteConversationOptions,
  { confirmationPolicy, limits }: CheckedOptions,
): Promise<void> {
  // the request that made the conversation carried maxIterations
  const changed = made ? { ...limits, maxIterations: undefined } : limits;
  const given = Object.values(changed).filter((limit) => limit !== undefined && !(made && limit === null));
  if (given.length > 0) await settings.setLimits(withoutUndefined(changed));
  if (options.title !== undefined) await settings.setTitle(options.title);
  if (made) return;
  if (confirmationPolicy) await settings.setConfirmationPolicy(confirmationPolicy);
  if (options.securityAnalyzer !== undefined) await settings.setSecurityAnalyzer(options.securityAnalyzer);
  if (options.stuckDetection !== undefined) await settings.setStuckDetection(options.stuckDetection);
  if (options.secrets !== undefined) await settings.updateSecrets(options.secrets);
  if (options.tags !== undefined) await settings.setTags(options.tags);
}

function withoutUndefined(limits: { readonly [Name in keyof Limits]?: Limits[Name] | undefined }): Partial<Limits> {
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined));
}
