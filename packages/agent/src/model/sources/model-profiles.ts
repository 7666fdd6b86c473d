import { checkAgentOptions } from '../../base/check-agent-options.ts';
import { join } from 'node:path';
import { checks, type Cipher, type OptionNames } from '@conv/core';
import { type Platform, systemPlatform } from '@conv/core/platform';
import type { JsonObject } from '@conv/core/events';
import { descriptionSecrets, readLlm, type StoredLlm } from '@conv/openhands/descriptions';
import { AgentError } from '../../base/agent-error.ts';
import { describeModel } from './describe-model.ts';
import { llmObjectFiles } from './llm-object-files.ts';
import type { LlmObjects } from './llm-objects.ts';
import { llmOf, modelAlone, storedModelAlone } from './model-from-description.ts';
import type { Model } from '../model.ts';
import { type ModelSources, PROFILE_USAGE, withStoredFallbacks } from './with-stored-fallbacks.ts';

/** Options of {@link modelProfiles}. */
export interface ModelProfilesOptions {
  /** The folder that holds `profiles`, which is created at the first save. Or give `objects`. */
  readonly directory?: string;
  /** The LLM objects, for profiles that are no files. Or give `directory`. */
  readonly objects?: LlmObjects;
  /** Encrypts keys. Without a cipher keys are stored redacted, so only profiles that need no key can be loaded. */
  readonly cipher?: Cipher;
  /** Makes the model of an LLM object, secrets decrypted. Default, also where it returns `undefined`: as {@link modelFromDescription}. */
  readonly model?: (llm: JsonObject) => Model | undefined | Promise<Model | undefined>;
  /** Source of ids for temporary files. Default: the platform of the host. */
  readonly platform?: Pick<Platform, 'id'>;
}

/**
 * Models by names, kept as OpenHands keeps them: an LLM object in `profiles/<name>.json`, unless they are kept elsewhere. A name is up to 128 letters, digits,
 * dots, underscores and hyphens, of which the first is a letter or a digit; every method rejects {@link AgentError}
 * `INVALID_OPTION` for any other name. Errors of the file system are passed on.
 */
export interface ModelProfiles {
  /** Resolves with the sorted names. */
  list(): Promise<readonly string[]>;
  /**
   * Loads a model, counted as `profile:<name>`. The profiles in its `fallback_strategy` are loaded too; a missing one
   * is left out with a process warning. Rejects {@link AgentError} `UNKNOWN_PROFILE`, `INVALID_PROFILE` for a file that
   * holds no LLM object, and {@link LlmError} `CONFIG` if a key is missing.
   */
  load(name: string): Promise<Model>;
  /** Writes the model in one step, readable only by the owner of the process; replaces the model of this name. */
  save(name: string, model: Model): Promise<void>;
  /** Deletes the model of this name. Rejects {@link AgentError} `UNKNOWN_PROFILE`. */
  delete(name: string): Promise<void>;
}

const NAMES: OptionNames<ModelProfilesOptions> = {
  directory: true,
  objects: true,
  cipher: true,
  model: true,
  platform: true,
};

/**
 * Named models in a folder. Reads the folder each time, so that several processes may use it.
 *
 * @example
 * ```ts
 * import { modelProfiles } from '@conv/agent';
 * import type { Cipher, Conversation } from '@conv/core';
 *
 * export async function goFast(conversation: Conversation, cipher: Cipher) {
 *   const profiles = modelProfiles({ directory: '.openhands', cipher });
 *   await conversation.settings.setModel(await profiles.load('fast'));
 * }
 * ```
 */
export function modelProfiles(options: ModelProfilesOptions): ModelProfiles {
  checkAgentOptions('modelProfiles', options, NAMES);
  const { cipher, model } = options;
  const objects = objectsOf(options);
  const read = async (name: string): Promise<StoredLlm> => {
    const llm = await objects.get(checked(name));
    if (!llm) throw unknown(name);
    return readLlm(descriptionSecrets.mapSecrets(llm, descriptionSecrets.secretReader(cipher)));
  };
  const modelOf: ModelSources['modelOf'] = async (llm) => (await model?.(llm.stored)) ?? modelAlone(llm);
  return {
    list: async () => (await objects.names()).filter((name) => NAME.test(name)).toSorted(),
    load: async (name) => {
      // The fallbacks of a fallback do not count, because profiles may name each other in a circle.
      const load = async (other: string): Promise<Model> => ({
        ...(await modelOf(await read(other))),
        usageId: `${PROFILE_USAGE}${other}`,
      });
      const loaded = await withStoredFallbacks(await read(name), { modelOf, load });
      return { ...loaded, usageId: `${PROFILE_USAGE}${name}` };
    },
    save: async (name, saved) => {
      const llm = descriptionSecrets.mapSecrets(
        describeModel(saved, 'default'),
        descriptionSecrets.secretWriter('encrypted', cipher),
      );
      const present = Object.fromEntries(Object.entries(llm).filter(([, value]) => value !== null)) as JsonObject;
      await objects.save(checked(name), present);
    },
    delete: async (name) => {
      if (!(await objects.delete(checked(name)))) throw unknown(name);
    },
  };
}

function objectsOf({ directory, objects, platform = systemPlatform }: ModelProfilesOptions): LlmObjects {
  if (objects !== undefined && directory === undefined) return objects;
  if (typeof directory !== 'string' || objects !== undefined)
    throw new AgentError(
      'INVALID_OPTION',
      checks.wrongValue('modelProfiles: directory', 'the path of a folder, or objects in its place', directory),
    );
  return llmObjectFiles(join(directory, 'profiles'), platform);
}

/**
 * Returns the model as {@link storedModel} does, with the fallbacks that its `fallback_strategy` names among `profiles` behind its own.
 * A profile that cannot be loaded is left out with a process warning.
 */
export async function storedModelWithProfiles(llm: JsonObject, profiles: Pick<ModelProfiles, 'load'>): Promise<Model> {
  return withStoredFallbacks(llmOf(llm), {
    modelOf: async (other) => storedModelAlone(other),
    load: (name) => profiles.load(name),
  });
}

const NAME = /^[a-zA-Z0-9][\w.-]{0,127}$/;

function checked(name: string): string {
  if (typeof name === 'string' && NAME.test(name)) return name;
  throw new AgentError(
    'INVALID_OPTION',
    `expected letters, digits, dots, underscores and hyphens as the name of a profile, found ${JSON.stringify(name)}`,
  );
}

function unknown(name: string): AgentError {
  return new AgentError('UNKNOWN_PROFILE', `there is no profile ${name}; save it first, or name another one`);
}
