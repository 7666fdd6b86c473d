import type { Cipher, JsonObject } from '@conv/core';
import type { Platform } from '@conv/core/platform';
import { mcpRoutes, type Route, type RouteInput } from '@conv/openhands/rest';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { callerOf } from '../auth/caller.ts';
import { ApiError, invalidMember } from '../http/api-error.ts';
import { clientGone } from '../http/client-gone.ts';
import { inTheClear } from '../http/secret-texts.ts';
import { serveRoute } from '../http/serve-route.ts';
import type { LoginsOptions } from './logins-options.ts';
import { type TrialJob, TrialJobs } from './trial-jobs.ts';
import type { McpTrialRequest, McpTrialResult, McpTrialsOptions } from './trials-options.ts';

export interface TrialsServing {
  readonly trials: McpTrialsOptions;
  readonly logins: LoginsOptions;
  readonly cipher: Cipher | undefined;
  readonly platform: Platform;
}

type AnswerOf<Served> = Served extends Route<RouteInput, infer Answer> ? Answer : never;
type BodyOf<Served> = Served extends Route<infer Input> ? Input['body' & keyof Input] : never;
type McpTestRequest = BodyOf<typeof mcpRoutes.test>;
type McpTestResponse = AnswerOf<typeof mcpRoutes.test>;
type McpOauthStatus = AnswerOf<typeof mcpRoutes.getOauthStatus>;

/** A request about trials, and its reply. */
interface Asked {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/**
 * Serves trials of MCP servers, as OpenHands does: the outcome of a server is part of the answer. A login belongs to the caller, and its tokens stay
 * on the server, so there is no `oauth_state`: conversations of the caller find the login by the address of the MCP server.
 */
export function serveMcpTrials(app: FastifyInstance, serving: TrialsServing): void {
  const { cipher, logins } = serving;
  const progress = new TrialProgress(serving);
  serveRoute(app, mcpRoutes.test, async ({ body, ...asked }) =>
    testAnswer(await progress.attempt(read(body, cipher), asked)),
  );
  serveRoute(app, mcpRoutes.startOauth, async ({ body, ...asked }) => {
    const wanted = read(body, cipher);
    if (Object(wanted.server['auth']).strategy !== 'oauth2')
      throw new ApiError(400, "MCP OAuth start requires auth.strategy='oauth2'");
    const { job_id, result } = await progress.begin(wanted, asked);
    if (result.kind === 'failed') return { ok: false, job_id, error: result.reason, error_kind: result.why };
    // where there is a login already, the job has ended
    return { ok: true, job_id, ...(result.kind === 'login' ? { authorization_url: result.address } : {}) };
  });
  serveRoute(app, mcpRoutes.getOauthStatus, ({ params, ...asked }) => progress.statusOf(params.job_id, asked));
  serveRoute(app, mcpRoutes.finishOauth, async ({ params: { job_id: id }, body, ...asked }) => {
    const callback = callbackOf(body.callback_url, await progress.jobOf(id, asked));
    const { ok, message } = await logins.finish(callback);
    const now = await progress.statusOf(id, asked);
    // a browser may have come back with it before
    if (ok || now.status !== 'authorizing') return now;
    return { ...now, ok: false, status: 'failed', error: message, error_kind: 'connection' };
  });
}

/** The trials of a server, and the jobs that wait for a login. */
class TrialProgress {
  readonly #trials: McpTrialsOptions;
  readonly #jobs: TrialJobs;
  /** The jobs that are looked at now. */
  readonly #ending = new Map<string, Promise<McpTrialResult | undefined>>();

  constructor({ trials, platform }: Pick<TrialsServing, 'trials' | 'platform'>) {
    this.#trials = trials;
    this.#jobs = new TrialJobs(trials.jobs, platform);
  }

  attempt(wanted: McpTrialRequest, { request, reply }: Asked): Promise<McpTrialResult> {
    return this.#trials.attempt(wanted, callerOf(request).name, clientGone(reply));
  }

  async begin(wanted: McpTrialRequest, asked: Asked): Promise<{ job_id: string; result: McpTrialResult }> {
    const result = await this.attempt(wanted, asked);
    const { name: principal } = callerOf(asked.request);
    const about = result.kind === 'login' ? { address: result.address } : { address: null, result };
    return { job_id: await this.#jobs.add({ request: wanted, principal, ...about }), result };
  }

  /** Rejects {@link ApiError} 404 for a job that the caller does not have. */
  async jobOf(id: string, { request }: Asked): Promise<TrialJob> {
    const job = await this.#jobs.get(id, callerOf(request).name);
    if (!job) throw new ApiError(404, 'MCP OAuth job not found');
    return job;
  }

  /** Resolves with the progress of a job. The first request after the end of its login lists the tools. */
  async statusOf(id: string, asked: Asked): Promise<McpOauthStatus> {
    const job = await this.jobOf(id, asked);
    if (job.result) return statusAnswer(id, job, job.result);
    // a client that asks again meanwhile must not have the tool called again
    const ending = this.#ending.get(id) ?? this.#end(id, job).finally(() => this.#ending.delete(id));
    this.#ending.set(id, ending);
    return statusAnswer(id, job, await ending);
  }

  async #end(id: string, job: TrialJob): Promise<McpTrialResult | undefined> {
    const result = await this.#endOf(job);
    return result && this.#jobs.end(id, result);
  }

  async #endOf(job: TrialJob): Promise<McpTrialResult | undefined> {
    const login = await this.#trials.login(job.address ?? '');
    if (login.kind === 'open') return undefined;
    if (login.kind === 'failed') return { kind: 'failed', reason: `The login failed: ${login.reason}`, why: 'unknown' };
    if (login.kind === 'lost') return { kind: 'failed', reason: LOST, why: 'timeout' };
    // another client may wait for it, too, and the time of the trial limits it
    const result = await this.#trials.attempt(job.request, job.principal, new AbortController().signal);
    return result.kind === 'login' ? { kind: 'failed', reason: NOT_TAKEN, why: 'connection' } : result;
  }
}

const NOT_TAKEN = 'The server asks for a login again; begin it again';
const LOST = 'The login took too long, or another one took its place; begin it again';

const TRANSPORTS: ReadonlySet<unknown> = new Set(['stdio', 'http', 'shttp', 'streamable-http', 'sse']);

/** Returns the server to try. Throws {@link ApiError} 422 for one of an unknown type, or without its command or address, and for a secret that another key encrypted. */
function read({ name, server, timeout, tool_call: call }: McpTestRequest, cipher: Cipher | undefined): McpTrialRequest {
  const plain = (): JsonObject => {
    if (!cipher) return server;
    try {
      return (inTheClear({ server }, cipher) as { readonly server: JsonObject }).server;
    } catch (cause) {
      throw new ApiError(422, 'A secret of the server is encrypted with another key: enter it again', { cause });
    }
  };
  const type = server['type'] ?? 'http';
  if (!TRANSPORTS.has(type)) throw invalidMember(['server', 'type'], `expected one of ${[...TRANSPORTS].join(', ')}`);
  const typed = withTransport(server);
  const transport = typed['transport'] ?? ('command' in typed ? 'stdio' : 'http');
  const place = transport === 'stdio' ? 'command' : 'url';
  if (typeof typed[place] !== 'string')
    throw invalidMember(['server', place], `expected the ${place} of the server, found none`);
  return {
    name: name.trim() === '' ? 'test-server' : name.trim(),
    server: withTransport(plain()),
    timeout,
    call: call ? { name: call.name, arguments: call.arguments ?? {} } : undefined,
  };
}

/** Returns a server with its `type`, as clients of OpenHands also name it, in place of `transport`. */
function withTransport({ type, ...server }: JsonObject): JsonObject {
  if (typeof type !== 'string' || (server['transport'] ?? null) !== null) return server;
  return { ...server, transport: type === 'shttp' ? 'http' : type };
}

/** Returns the address that a browser came back to. Throws {@link ApiError} 400 for an address of another login, and 409 without a login. */
function callbackOf(text: string, { address }: TrialJob): URL {
  if (address === null) throw new ApiError(409, 'OAuth callback is not ready');
  if (!URL.canParse(text)) throw new ApiError(400, 'Invalid OAuth callback URL');
  const [given, { searchParams: asked }] = [new URL(text), new URL(address)];
  const expected = new URL(asked.get('redirect_uri') ?? '');
  if (given.origin !== expected.origin || given.pathname !== expected.pathname)
    throw new ApiError(400, 'Unexpected OAuth callback URL');
  if (given.searchParams.get('state') !== asked.get('state')) throw new ApiError(400, 'Unexpected OAuth callback URL');
  return given;
}

function testAnswer(result: McpTrialResult): McpTestResponse {
  if (result.kind === 'failed') return { ok: false, error: result.reason, error_kind: result.why };
  if (result.kind === 'login') return { ok: false, error: NEEDS_LOGIN, error_kind: 'connection' };
  return { ok: true, ...toolsOf(result) };
}

const NEEDS_LOGIN = 'The server needs the authorization of a person: begin it with POST /api/mcp/oauth/start';

function toolsOf({ tools, called }: Extract<McpTrialResult, { readonly kind: 'tools' }>): {
  tools: string[];
  tool_result?: JsonObject;
} {
  return {
    tools: [...tools],
    ...(called ? { tool_result: { is_error: called.isError, text: called.text } } : {}),
  };
}

function statusAnswer(job_id: string, { address }: TrialJob, result: McpTrialResult | undefined): McpOauthStatus {
  // this server takes the browser back for as long as the login lasts
  const base = {
    job_id,
    callback_ready: address !== null,
    ...(address === null ? {} : { authorization_url: address }),
  };
  if (result?.kind === 'tools') return { ok: true, status: 'succeeded', ...base, ...toolsOf(result) };
  if (result?.kind === 'failed')
    return { ok: false, status: 'failed', ...base, error: result.reason, error_kind: result.why };
  return { ok: true, status: 'authorizing', ...base };
}
