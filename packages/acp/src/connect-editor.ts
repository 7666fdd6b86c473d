import {
  agent,
  PROTOCOL_VERSION,
  RequestError,
  type AgentCapabilities,
  type AgentContext,
  type AgentRequestHandlersByMethod,
  type AgentRequestMethod,
  type ResumeSessionRequest,
  type Stream,
} from '@agentclientprotocol/sdk';
import { turns } from '@conv/turns';

import { checkEditorOptions, type EditorOptions, type SessionPlace } from './editor-options.ts';
import { EditorSession, type SessionStart } from './editor-session.ts';
import { requestError } from './request-errors.ts';

/** An editor that is connected. */
export interface EditorConnection {
  /** Resolves when the editor has gone. */
  readonly closed: Promise<void>;
  /** Resolves when the runs that this editor began have ended, also after it has gone. */
  settled(): Promise<void>;
  /** Ends the connection, and no run. */
  close(): void;
}

/**
 * Serves an editor that speaks the Agent Client Protocol, version 1, over a stream such as `ndJsonStream` of its SDK makes from standard
 * input and output. A session is a conversation with the same id, so it can be continued and approved from every other place, and
 * `session/load` tells all of it. Only a person's answer, here or elsewhere, lets a call run that waits.
 *
 * An error is the protocol's own: `-32002` for a session that does not exist, `-32602` for input that was refused, with nothing sent or
 * changed, and `-32603` for a run that failed, with the code of the log in `data`.
 */
export function connectEditor(stream: Stream, options: EditorOptions): EditorConnection {
  checkEditorOptions(options);
  const sessions = new Map<string, EditorSession>();
  const begun: EditorSession[] = [];
  const app = agent({ name: options.info?.name ?? 'conv' });
  const on = <Method extends AgentRequestMethod>(method: Method, work: AgentRequestHandlersByMethod[Method]): void => {
    const handler = async (context: Parameters<typeof work>[0]): Promise<unknown> => {
      try {
        return await work(context as never);
      } catch (error) {
        throw requestError(error, (context.params as Partial<ResumeSessionRequest>).sessionId);
      }
    };
    app.onRequest(method, handler as typeof work);
  };
  const sessionOf = (sessionId: string): EditorSession => {
    const session = sessions.get(sessionId);
    if (session) return session;
    throw RequestError.sessionNotFound(sessionId);
  };
  const begin = async (client: AgentContext, params: Place, from: SessionStart) => {
    const place = placeOf(params, options);
    const { sessionId: known } = params;
    const opened = await (known === undefined ? options.create(place) : options.open(known, place));
    // throws for a cursor that the log does not have, while the session before still follows
    if (typeof from === 'number') await turns(opened, { after: from }).return?.();
    // nothing may follow a conversation for an editor that left while it opened
    connection.signal.throwIfAborted();
    const session = new EditorSession(opened, client, options);
    sessions.get(opened.id)?.close();
    sessions.set(opened.id, session);
    begun.push(session);
    await session.start(from);
    return { sessionId: opened.id, modes: session.modes };
  };

  app.onRequest('initialize', () => ({
    protocolVersion: PROTOCOL_VERSION,
    agentCapabilities: capabilitiesOf(options),
    authMethods: [],
    ...(options.info ? { agentInfo: options.info } : {}),
  }));
  on('session/new', ({ client, params }) => begin(client, params, 'now'));
  on('session/load', ({ client, params }) => begin(client, params, 'history'));
  on('session/resume', ({ client, params }) => begin(client, params, startOf(params)));
  on('session/prompt', async ({ params: { sessionId, prompt }, signal }) => {
    const session = sessionOf(sessionId);
    // a run goes on without its editor
    const cancel = (): void => void (connection.signal.aborted || session.cancel().catch(options.onError));
    signal.addEventListener('abort', cancel, { once: true });
    return await session.prompt(prompt).finally(() => signal.removeEventListener('abort', cancel));
  });
  on('session/set_mode', ({ params: { sessionId, modeId } }) => sessionOf(sessionId).setMode(modeId));
  on('session/close', async ({ params: { sessionId } }) => {
    const session = sessionOf(sessionId);
    sessions.delete(sessionId);
    await session.cancel().finally(() => session.close());
  });
  const { list } = options;
  if (list)
    on('session/list', async ({ params: { cwd, cursor } }) => {
      const page = await list({ ...(cwd ? { cwd } : {}), ...(cursor ? { cursor } : {}) });
      const all = page.sessions.map(({ id, ...entry }) => ({ sessionId: id, ...entry }));
      return { sessions: all, nextCursor: page.next ?? null };
    });
  app.onNotification('session/cancel', async ({ params }) => {
    await sessions.get(params.sessionId)?.cancel().catch(options.onError);
  });

  const connection = app.connect(stream);
  return {
    closed: connection.closed.then(() => sessions.forEach((session) => session.close())),
    settled: async () => void (await Promise.all(begun.map((session) => session.settled()))),
    close: () => connection.close(),
  };
}

/** Returns the place from which an editor goes on. Throws the protocol's `invalid params` for what is no cursor: the editor would miss something. */
function startOf({ _meta }: ResumeSessionRequest): SessionStart {
  const after: unknown = _meta?.['conv/after'] ?? 'now';
  if (after === 'now' || typeof after === 'number') return after;
  const found = JSON.stringify(after);
  throw RequestError.invalidParams({}, `_meta: conv/after: expected the number of an event, found ${found}`);
}

type Place = Omit<ResumeSessionRequest, 'sessionId'> & { readonly sessionId?: string };

/** Checks the place of a session. Throws the protocol's `invalid params` for what a conversation cannot have, by its name. */
function placeOf(
  { cwd, mcpServers = [], additionalDirectories: more = [] }: Place,
  { mcp = [] }: EditorOptions,
): SessionPlace {
  const wrong = (name: string, expected: string, found: string): RequestError =>
    RequestError.invalidParams({}, `${name}: expected ${expected}, found ${found}`);
  if (!/^(?:\/|[A-Za-z]:[\\/])/.test(cwd)) throw wrong('cwd', 'an absolute path', JSON.stringify(cwd));
  if (more.length > 0)
    throw wrong('additionalDirectories', 'none, because an agent works in one folder', more.join(', '));
  const refused = mcpServers.filter((server) => !mcp.includes('type' in server ? server.type : 'stdio'));
  if (refused.length === 0) return { cwd, mcpServers };
  const expected = mcp.length === 0 ? 'none' : `servers by ${mcp.join(', ')} alone`;
  throw wrong('mcpServers', `${expected} for this agent`, refused.map(({ name }) => name).join(', '));
}

function capabilitiesOf({ list, mcp = [] }: EditorOptions): AgentCapabilities {
  return {
    loadSession: true,
    promptCapabilities: { image: true, embeddedContext: true },
    mcpCapabilities: { http: mcp.includes('http'), sse: mcp.includes('sse') },
    sessionCapabilities: { resume: {}, close: {}, ...(list ? { list: {} } : {}) },
  };
}
