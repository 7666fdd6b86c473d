import process from 'node:process';

import { type Environment, type Model, modelFromEnvironment } from '@conv/agent';
import { BACKTICK_MODEL, createModelServer, type Script } from '@conv/testing-model-server';

/** The model of the job, with the resources to release after its use. */
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

/** Options of the model. */
const OPTIONS = { retry: { attempts: 3 } };

/** The model that the environment names; without any, this script behind a real OpenAI-compatible server on loopback. */
export async function chooseModel(load: () => Promise<Script>): Promise<ChosenModel> {
  if ((process.env['LLM_MODEL']?.trim() ?? '') !== '')
    return {
      model: modelFromEnvironment(process.env, OPTIONS),
      url: undefined,
      environment: {},
      violations: [],
      requests: () => '',
      [Symbol.asyncDispose]: async () => {},
    };
  const server = await createModelServer({ script: await load() });
  const environment = { LLM_MODEL: BACKTICK_MODEL, LLM_BASE_URL: server.url, LLM_API_KEY: '' };
  return {
    model: modelFromEnvironment(environment, OPTIONS),
    url: server.url,
    environment,
    violations: server.violations,
    requests: () => JSON.stringify(server.requests.map(({ body }) => body)),
    [Symbol.asyncDispose]: () => server.close(),
  };
}
