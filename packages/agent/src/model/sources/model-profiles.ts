import { checkAgentOptions } from '../../base/check-agent-options.ts';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { checks, type Cipher, type OptionNames } from '@conv/core';
import { isObject, type Platform, systemPlatform } from '@conv/core/platform';
import type { JsonObject } from '@conv/core/events';
import { readLlm, type StoredLlm } from '@conv/openhands/descriptions';
import { AgentError } from '../../base/agent-error.ts';
import { describeModel } from './describe-model.ts';
import { mapSecrets, secretReader, secretWriter } from './description-secrets.ts';
import { parseJson } from '../../base/json.ts';
import { llmOf, modelAlone, storedModelAlone } from './model-from-description.ts';
import type { Model } from '../model.ts';
import { type ModelSources, PROFILE_USAGE, withStoredFallbacks } from './with-stored-fallbacks.ts';

/** Options of {@link modelProfiles}. */
export interface ModelProfilesOptions {
  /** The folder that holds `profiles`, which is created at the first save. */
  readonly directory: string;
  /** Encrypts keys. Without a cipher keys are stored redacted, so only profiles that need no key can be loaded. */
  readonly cipher?: Cipher;
  /** Makes the model of an LLM object, secrets decrypted. Default, also where it returns `undefined`: as {@link modelFromDescription}. */
  readonly model?: (llm: JsonObject) => Model | undefined | Promise<Model | undefined>;
  /** Source of ids for temporary files. Default: the platform of the host. */
  readonly platform?: Pick<Platform, 'id'>;
}

/**
 * Models by names, kept as OpenHands keeps them: an LLM object in `profiles/<name>.json`. A name is up to 128 letters, digits,
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

const NAMES: OptionNames<ModelProfilesOptions> = { directory: true, cipher: true, model: true, platform: true };

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
  const { directory, cipher, model, platform = systemPlatform } = options;
  if (typeof directory !== 'string')
    throw new AgentError(
      'INVALID_OPTION',
      checks.wrongValue('modelProfiles: directory', 'the path of a folder', directory),
    );
  const folder = join(directory, 'profiles');
  const read = async (name: string): Promise<StoredLlm> =>
    readLlm(mapSecrets(await readProfile(folder, name), secretReader(cipher)));
  const modelOf: ModelSources['modelOf'] = async (llm) => (await model?.(llm.stored)) ?? modelAlone(llm);
  return {
    list: () => listProfiles(folder),
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
      const path = pathOf(folder, name);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeWhole(platform, path, mapSecrets(describeModel(saved, 'default'), secretWriter('encrypted', cipher)));
    },
    delete: async (name) => {
      const path = pathOf(folder, name);
      await rm(path).catch((error: unknown) => {
        throw isMissing(error) ? unknown(name, error) : error;
      });
    },
  };
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
const SUFFIX = '.json';

async function listProfiles(folder: string): Promise<readonly string[]> {
  const files = await readdir(folder).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  const names = files.filter((file) => file.endsWith(SUFFIX)).map((file) => file.slice(0, -SUFFIX.length));
  return names.filter((name) => NAME.test(name)).toSorted();
}

async function readProfile(folder: string, name: string): Promise<JsonObject> {
  const text = await readFile(pathOf(folder, name), 'utf8').catch((error: unknown) => {
    throw isMissing(error) ? unknown(name, error) : error;
  });
  const llm = parseJson(text);
  if (isObject(llm)) return llm as JsonObject;
  throw new AgentError('INVALID_PROFILE', `the file of profile ${name} holds no LLM object`);
}

/** Writes a file atomically: readers see the whole new or the old file, also after a crash. */
async function writeWhole({ id }: Pick<Platform, 'id'>, path: string, llm: JsonObject): Promise<void> {
  const temporary = `${path}.${id()}.tmp`;
  const present = Object.fromEntries(Object.entries(llm).filter(([, value]) => value !== null));
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(present, undefined, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

function pathOf(folder: string, name: string): string {
  if (typeof name === 'string' && NAME.test(name)) return join(folder, `${name}${SUFFIX}`);
  throw new AgentError('INVALID_OPTION', `${JSON.stringify(name)} is not the name of a profile`);
}

function unknown(name: string, cause: unknown): AgentError {
  return new AgentError('UNKNOWN_PROFILE', `there is no profile ${name}`, { cause });
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
