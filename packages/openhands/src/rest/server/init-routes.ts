import { z } from 'zod';
import type { JsonObject } from '@conv/core/events';
import type { NoInput, Route } from '../route.ts';
import { defineRoute } from '../define-route.ts';
import { named } from '../../schema/named.ts';
import { answer, closedRequest, orNull } from '../../schema/objects.ts';
import { integer, jsonObject } from '../../schema/scalars.ts';

/** Whether a server that waits for its configuration has it. */
export interface InitStatus {
  readonly state: 'dormant' | 'initializing' | 'ready';
  readonly error: string | null;
}

/** What a server that waits for it is configured with. */
export interface InitRequest {
  readonly session_api_keys: readonly string[] | null;
  readonly secret_key: string | null;
  readonly conversations_path: string | null;
  readonly bash_events_dir: string | null;
  readonly conversation_worktree_root: string | null;
  readonly webhooks: readonly JsonObject[] | null;
  readonly web_url: string | null;
  readonly allow_cors_origins: readonly string[] | null;
  readonly max_concurrent_runs: number | null;
  readonly env: Readonly<Record<string, string>> | null;
  readonly telemetry: JsonObject | null;
}

const tag = 'Start';
const errors = { 404: 'The server does not wait for its configuration.' };

const initStatusSchema: z.ZodType<InitStatus> = named(
  'InitStatus',
  answer({ state: z.enum(['dormant', 'initializing', 'ready']), error: orNull(z.string()) }),
);

const initRequestSchema: z.ZodType<InitRequest> = named(
  'InitRequest',
  closedRequest({
    session_api_keys: orNull(z.array(z.string())),
    secret_key: orNull(z.string()),
    conversations_path: orNull(z.string()),
    bash_events_dir: orNull(z.string()),
    conversation_worktree_root: orNull(z.string()),
    webhooks: orNull(z.array(jsonObject)),
    web_url: orNull(z.string()),
    allow_cors_origins: orNull(z.array(z.string())),
    max_concurrent_runs: orNull(integer({ minimum: 1 })),
    env: orNull(z.record(z.string(), z.string())),
    telemetry: orNull(jsonObject),
  }),
);

/** Says whether the server has its configuration. */
export const getInitStatus: Route<NoInput, InitStatus> = defineRoute(
  tag,
  'GET /api/init',
  'get_init_status',
  'Does the server have its configuration?',
  { auth: 'init', answer: initStatusSchema, errors },
);

/** Gives the server its configuration. */
export const initServer: Route<{ body: InitRequest }, InitStatus> = defineRoute(
  tag,
  'POST /api/init',
  'init_server',
  'Configure the server',
  { auth: 'init', body: initRequestSchema, answer: initStatusSchema, errors },
);
