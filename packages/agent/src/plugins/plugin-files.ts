import { basename, join } from 'node:path';
import { errorText } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';
import type { JsonObject } from '@conv/core/events';
import { AgentError, isAgentError } from '../base/agent-error.ts';
import { type InvalidFile, namesIn, readText } from '../skills/markdown-folder.ts';

/** The most bytes of one file of a plugin, except those of skills and programs. */
const MAX_SIZE = 256 * 1024;

/** Makes the error for a file of a plugin. */
export const invalidPlugin: InvalidFile = (path, what, cause) =>
  new AgentError('INVALID_PLUGIN', `plugin ${path}: ${what}`, cause === undefined ? {} : { cause });

/** Reads the files of one plugin, and collects the reasons why parts are left out. */
export class PluginFiles {
  readonly directory: string;
  readonly problems: string[] = [];

  /** @param directory a real path; no file is read through a link that leads out of it */
  constructor(directory: string) {
    this.directory = directory;
  }

  /** Resolves with the JSON object in a file; `undefined` if there is no such file. Rejects {@link AgentError} `INVALID_PLUGIN`. */
  async json(...path: readonly string[]): Promise<JsonObject | undefined> {
    const [name = '', ...folders] = path.toReversed();
    const folder = join(this.directory, ...folders.toReversed());
    const names = await namesIn(folder, invalidPlugin);
    if (names?.includes(name) !== true) return undefined;
    const file = join(folder, name);
    const content = await this.text(file, invalidPlugin);
    let value: unknown;
    try {
      value = JSON.parse(content.replace(/^\uFEFF/, ''));
    } catch (error) {
      throw invalidPlugin(file, `expected JSON, found other text (${errorText(error)})`, error);
    }
    if (!isJsonObject(value)) throw invalidPlugin(file, 'expected a JSON object, found another value');
    return value;
  }

  /** Resolves with what `parse` makes of each Markdown file of a folder but its `README.md`. Files that it refuses are problems. */
  async markdown<T>(
    folder: string,
    parse: (text: string, path: string) => Promise<T>,
    invalid: InvalidFile,
  ): Promise<readonly T[]> {
    const place = join(this.directory, folder);
    const found: T[] = [];
    for (const name of (await namesIn(place, invalid)) ?? []) {
      if (!/\.md$/i.test(name) || name.toLowerCase() === 'readme.md') continue;
      const path = join(place, name);
      const one = await this.part(async () => parse(await this.text(path, invalid), path));
      if (one !== undefined) found.push(one);
    }
    return found;
  }

  /** Does a part of the work, and resolves with its result; `undefined` for a file that is refused, which becomes a problem. */
  async part<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!isAgentError(error)) throw error;
      this.problems.push(error.text);
      return undefined;
    }
  }

  text(path: string, invalid: InvalidFile): Promise<string> {
    return readText(path, MAX_SIZE, invalid, { root: this.directory });
  }
}

/** Returns the name of a Markdown file without its ending. */
export function nameOfFile(path: string): string {
  return basename(path).replace(/\.md$/i, '');
}
