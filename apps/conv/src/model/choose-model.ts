import process from 'node:process';

import { type Environment, type Model, modelFromEnvironment } from '@conv/agent';

import { CommandError } from '../command-error.ts';
import type { ConfiguredModel } from '../config/config-schema.ts';
import { exitCodes } from '../exit-code.ts';
import type { StandIn } from '../program.ts';

/** A model, with the resources to release after its use. */
export interface ChosenModel extends AsyncDisposable {
  readonly model: Model;
  /** A line that says which model answers. */
  readonly note: string;
}

/** Tries of one call; a person waits for the answer. */
const ATTEMPTS = 3;

/** True if the environment names a model. */
export function isModelConfigured(environment: Environment = process.env): boolean {
  return (environment['LLM_MODEL']?.trim() ?? '') !== '';
}

/**
 * The model that the environment names, else the configured one, else the program's stand-in. Rejects {@link CommandError} when there is
 * none of them, and `LlmError` `CONFIG` for a model without a key.
 */
export async function chooseModel(
  configured: ConfiguredModel | undefined,
  standIn: StandIn | undefined,
): Promise<ChosenModel> {
  if (isModelConfigured() || configured) {
    const named = isModelConfigured() ? process.env : withConfigured(process.env, configured);
    const model = modelIn(named);
    return { model, note: `model ${model.name}`, [Symbol.asyncDispose]: async () => {} };
  }
  if (!standIn)
    throw new CommandError(
      exitCodes.model,
      'no model is configured: set LLM_MODEL (openai/…, anthropic/…, gemini/…) and LLM_API_KEY, or name one with --config',
    );
  const started = await standIn.start();
  return {
    model: modelIn(started.environment),
    note: started.note,
    [Symbol.asyncDispose]: () => started[Symbol.asyncDispose](),
  };
}

/** Returns the model of this name, with the key and the address of the environment. Throws `LlmError` `CONFIG`. */
export function modelNamed(name: string): Model {
  return modelIn({ ...process.env, LLM_MODEL: name });
}

function modelIn(environment: Environment): Model {
  return modelFromEnvironment(environment, { retry: { attempts: ATTEMPTS } });
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
