import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject, type Platform } from '@conv/core/platform';
import type { JsonObject } from '@conv/core/events';
import { AgentError } from '../../base/agent-error.ts';
import { parseJson } from '../../base/json.ts';
import type { LlmObjects } from './llm-objects.ts';

const SUFFIX = '.json';

/** Returns the LLM objects in the files of a folder, which is created by the first save. Errors of the file system are passed on. */
export function llmObjectFiles(folder: string, { id }: Pick<Platform, 'id'>): LlmObjects {
  const pathOf = (name: string): string => join(folder, `${name}${SUFFIX}`);
  const get: LlmObjects['get'] = async (name) => {
    const text = await unlessMissing(readFile(pathOf(name), 'utf8'));
    if (text === undefined) return undefined;
    const llm = parseJson(text);
    if (isObject(llm)) return llm as JsonObject;
    throw new AgentError(
      'INVALID_PROFILE',
      `the file of profile ${name}: expected an LLM object, found none; save the profile again`,
    );
  };
  return {
    names: async () => {
      const files = (await unlessMissing(readdir(folder))) ?? [];
      return files.filter((file) => file.endsWith(SUFFIX)).map((file) => file.slice(0, -SUFFIX.length));
    },
    get,
    save: async (name, llm) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeWhole(pathOf(name), `${pathOf(name)}.${id()}.tmp`, llm);
    },
    delete: async (name) => (await unlessMissing(rm(pathOf(name)).then(() => true))) ?? false,
  };
}

/** Writes a file atomically: readers see the whole new or the old file, also after a crash. */
async function writeWhole(path: string, temporary: string, llm: JsonObject): Promise<void> {
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(llm, undefined, 2)}\n`);
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

async function unlessMissing<Value>(work: Promise<Value>): Promise<Value | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
