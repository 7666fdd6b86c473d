import process from 'node:process';

import { type Environment, type Model, modelFromEnvironment } from '@conv/agent';
import type { Script } from '@conv/testing-model-server';

import type { ConfiguredModel } from '../config/config-schema.ts';

/** A model, and what has to be let go of when it is not needed any more. */
export interface ChosenModel extends AsyncDisposable {
  readonly model: Model;
  /** The script's server, when no model is configured. */
  readonly url: string | undefined;
  /** The variables under which another process finds the same model. */
  readonly environment: Environment;
  /** Requests that broke a rule of the provider's protocol; always empty for a real provider. */
  readonly violations: readonly { readonly message: string }[];
  /** Everything that the script was sent so far, as text; nothing is known of a real provider. */
  readonly requests: () => string;
}

/** Name of the scripted model. */
export const SCRIPTED_MODEL = 'openai/scripted-model';

/** Tries of one call; a person waits for the answer. */
const ATTEMPTS = 3;

/** Loads the script of `run` and `resume`. */
export async function backticks(): Promise<Script> {
  const { backtickScript } = await import('./backtick-script.ts');
  return backtickScript;
}

/** True if the environment names a model. */
export function isModelConfigured(environment: Environment = process.env): boolean {
  return (environment['LLM_MODEL']?.trim() ?? '') !== '';
}

/**
 * The model that the environment names, else the configured one; without any, the script of `load` behind a real OpenAI-compatible server
 * on loopback. Rejects `LlmError` `CONFIG` for a model without a key.
 */
export async function chooseModel(load: () => Promise<Script>, configured?: ConfiguredModel): Promise<ChosenModel> {
  if (isModelConfigured() || configured) {
    const named = isModelConfigured() ? process.env : withConfigured(process.env, configured);
    return {
      model: modelFromEnvironment(named, { retry: { attempts: ATTEMPTS } }),
      url: undefined,
      environment: {},
      violations: [],
      requests: () => '',
      [Symbol.asyncDispose]: async () => {},
    };
  }
  const { createModelServer } = await import('@conv/testing-model-server');
  const server = await createModelServer({ script: await load() });
  const environment = { LLM_MODEL: SCRIPTED_MODEL, LLM_BASE_URL: server.url, LLM_API_KEY: '' };
  return {
    model: modelFromEnvironment(environment, { retry: { attempts: ATTEMPTS } }),
    url: server.url,
    environment,
    violations: server.violations,
    requests: () => JSON.stringify(server.requests.map(({ body }) => body)),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

/** The key, and prices, stay those of the environment. */
function withConfigured(environment: Environment, model: ConfiguredModel | undefined): Environment {
  return {
    ...environment,
    LLM_MODEL: model?.name,
    ...(model?.baseUrl === undefined ? {} : { LLM_BASE_URL: model.baseUrl }),
    ...(model?.contextWindow === undefined ? {} : { LLM_CONTEXT_WINDOW: String(model.contextWindow) }),
  };
}
