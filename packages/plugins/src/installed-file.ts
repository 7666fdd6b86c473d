import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Platform } from '@conv/core/platform';
import { z } from 'zod';

import { PluginError } from './plugin-error.ts';

/** The name of the list, which OpenHands writes, too. */
const FILE = '.installed.json';

const text = z.string();
const orNull = z.nullish(text).transform((value) => value ?? null);

/** An installed plugin or skill as the list has it. Other members stay. */
const entrySchema = z.looseObject({
  name: text,
  version: text.default(''),
  description: z.nullish(text).transform((value) => value ?? ''),
  enabled: z.boolean().default(true),
  source: text,
  requested_ref: orNull,
  resolved_ref: orNull,
  repo_path: orNull,
  installed_at: text,
  install_path: text,
});
const entriesSchema = z.record(text, z.unknown());
const fileSchema = z.looseObject({
  extensions: entriesSchema.default({}),
  /** Names of the same member in older files. */
  plugins: entriesSchema.optional(),
  skills: entriesSchema.optional(),
});

/** An installed plugin or skill. */
export interface Installed {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly enabled: boolean;
  /** Where it came from, with a password if it was given one; `local` for a folder that was put there by hand. */
  readonly source: string;
  /** The branch, the tag or the commit that was asked for. */
  readonly requested_ref: string | null;
  /** The commit that was fetched; null for a folder. */
  readonly resolved_ref: string | null;
  /** The folder in the repository. */
  readonly repo_path: string | null;
  /** Time in ISO 8601. */
  readonly installed_at: string;
  readonly install_path: string;
  /** Members of newer programs. */
  readonly [more: string]: unknown;
}

/** Installed plugins or skills, by name. */
export type InstalledList = Map<string, Installed>;

/**
 * Reads the list of a folder. Entries that cannot be read are left out, as OpenHands does with their folders. Rejects {@link PluginError}
 * `DAMAGED` for a file that is no such list, because it says what is switched off.
 */
export async function readList(folder: string): Promise<InstalledList> {
  const path = join(folder, FILE);
  let content: string;
  try {
    content = await readFile(path, 'utf8');
  } catch (error) {
    if (isAbsent(error)) return new Map();
    throw damaged(path, 'it cannot be read', error);
  }
  const read = fileSchema.safeParse(parsed(path, content));
  if (!read.success) throw damaged(path, 'expected an object with the member extensions', read.error);
  const { extensions, plugins = {}, skills = {} } = read.data;
  const entries = Object.entries({ ...plugins, ...skills, ...extensions }).flatMap(
    ([name, value]): readonly [string, Installed][] => {
      const entry = entrySchema.safeParse(value);
      return entry.success && entry.data.name === name ? [[name, entry.data]] : [];
    },
  );
  return new Map(entries);
}

/** Writes the list of a folder in one step. A source may hold a password, so only this user reads it. */
export async function writeList(folder: string, list: InstalledList, platform: Pick<Platform, 'id'>): Promise<void> {
  const next = join(folder, `${FILE}.${platform.id()}`);
  await writeFile(next, JSON.stringify({ extensions: Object.fromEntries(list) }, null, 2), { mode: 0o600 });
  await rename(next, join(folder, FILE));
}

function parsed(path: string, content: string): unknown {
  try {
    return JSON.parse(content);
  } catch (error) {
    throw damaged(path, 'it is not JSON', error);
  }
}

function damaged(path: string, reason: string, cause: unknown): PluginError {
  return new PluginError('DAMAGED', `${path}: ${reason}; repair it, or remove it to have all of the folder enabled`, {
    cause,
  });
}

/** True if the error says that there is no such file or folder. */
export function isAbsent(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
