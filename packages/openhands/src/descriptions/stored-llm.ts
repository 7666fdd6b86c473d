import type { JsonObject } from '@conv/core/events';
import { z } from 'zod';
import { jsonObject, orAbsent } from '../schema/index.ts';

/** The members of an LLM object that are secrets. */
export const LLM_SECRETS = ['api_key', 'aws_access_key_id', 'aws_secret_access_key', 'aws_session_token'] as const;

const text = orAbsent(z.string().min(1));
const number = orAbsent(z.number());
const effort = orAbsent(z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']));

/** The members of an LLM object that we use, our own members included. */
const storedLlmSchema = z.object({
  model: text,
  usage_id: text,
  api_key: text,
  aws_access_key_id: orAbsent(z.string()),
  aws_secret_access_key: orAbsent(z.string()),
  aws_session_token: orAbsent(z.string()),
  base_url: orAbsent(z.string()),
  api_mode: orAbsent(z.enum(['chat', 'responses'])),
  provider_connection_id: text,
  timeout: number,
  stream_idle_timeout: number,
  num_retries: number,
  temperature: number,
  top_p: number,
  top_k: number,
  seed: number,
  reasoning: effort,
  reasoning_effort: effort,
  max_input_tokens: number,
  max_output_tokens: number,
  input_cost_per_token: number,
  output_cost_per_token: number,
  cache_read_input_token_cost: number,
  cache_creation_input_token_cost: number,
  disable_vision: orAbsent(z.boolean()),
  native_tool_calling: orAbsent(z.boolean()),
  stream: orAbsent(z.boolean()),
  extra_headers: jsonObject.catch({}),
  provider_options: orAbsent(jsonObject),
  /** LLM objects; `undefined` in the place of anything else. */
  fallbacks: z.array(orAbsent(jsonObject)).catch([]),
  /** The names of profiles. */
  fallback_strategy: z.object({ fallback_llms: z.array(z.coerce.string()).catch([]) }).catch({ fallback_llms: [] }),
});

/** A stored LLM object, read once. A member of another type counts as absent, because others write such objects, too. */
export interface StoredLlm extends Readonly<z.output<typeof storedLlmSchema>> {
  /** The object as it is stored, with the members that are not known here. */
  readonly stored: JsonObject;
}

/** Reads a stored LLM object. */
export function readLlm(stored: JsonObject): StoredLlm {
  return { ...storedLlmSchema.parse(stored), stored };
}
