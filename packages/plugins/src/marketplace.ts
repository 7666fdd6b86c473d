import { readFile, stat } from 'node:fs/promises';
import { isAbsolute, join, normalize, posix } from 'node:path';

import { errorText } from '@conv/core';
import { z } from 'zod';

import { isAbsent } from './installed-file.ts';
import { PluginError } from './plugin-error.ts';
import { parseSource, type Source, withoutCredentials } from './source.ts';

/** A plugin or a skill that a marketplace offers. */
export interface MarketplaceEntry {
  readonly name: string;
  readonly description: string | null;
  /** Where it comes from, for an installation: a folder of the marketplace, or another repository. */
  readonly source: string;
  readonly ref: string | null;
  /** The folder in the other repository. */
  readonly path: string | null;
  /** The folder of the marketplace in which it is; `undefined` if it is elsewhere. */
  readonly directory?: string;
  /** True if it is in the folder for plugins. Marketplaces list skills among the plugins, too. */
  readonly isPlugin: boolean;
}

/** The offers of a marketplace. */
export interface Marketplace {
  readonly name: string;
  readonly plugins: readonly MarketplaceEntry[];
  readonly skills: readonly MarketplaceEntry[];
}

/** Places of the list in a marketplace; the first counts. */
const FILES = ['.plugin/marketplace.json', '.claude-plugin/marketplace.json'];
const MAX_SIZE = 4 * 1024 * 1024;
const PLUGINS = 'plugins/';

const text = z.string();
const optional = z.nullish(text);
const elsewhere = z.looseObject({ source: text, repo: optional, url: optional, ref: optional, path: optional });
const entrySchema = z.looseObject({
  name: text.min(1),
  description: optional,
  source: z.union([text.min(1), elsewhere]),
});
const marketplaceSchema = z.looseObject({
  name: text,
  plugins: z.array(z.unknown()).default([]),
  skills: z.array(z.unknown()).default([]),
});

/**
 * Reads the marketplace in a folder. Entries that cannot be read, and entries whose source leads out of the folder, are left out.
 * @param more another place of its list, relative to the folder, which counts if the usual ones are not there
 * @param from where the folder was copied from. The sources of its own entries then lead there, so that an update of what is installed finds what is new.
 *   A source with a password is not shown to clients, so entries come from the folder then
 * Rejects {@link PluginError} `INVALID` for a folder without a list, and for a list that is no marketplace.
 */
export async function readMarketplace(directory: string, more?: string, from?: Source): Promise<Marketplace> {
  const read = marketplaceSchema.safeParse(await listIn(directory, more));
  if (!read.success)
    throw new PluginError(
      'INVALID',
      `${directory}: expected a marketplace with a name and lists of plugins and skills`,
      { cause: read.error },
    );
  const { name, plugins, skills } = read.data;
  const entries = (list: readonly unknown[]): Promise<readonly MarketplaceEntry[]> =>
    Promise.all(list.map((entry) => entryOf(entry, directory, from))).then((found) =>
      found.flatMap((entry) => entry ?? []),
    );
  return { name, plugins: await entries(plugins), skills: await entries(skills) };
}

async function listIn(directory: string, more: string | undefined): Promise<unknown> {
  for (const file of [...FILES, ...(more === undefined ? [] : [more])]) {
    const path = join(directory, file);
    try {
      const { size } = await stat(path);
      if (size > MAX_SIZE)
        throw new PluginError('INVALID', `${path}: expected at most ${MAX_SIZE} bytes, found ${size}`);
      return JSON.parse(await readFile(path, 'utf8'));
    } catch (cause) {
      if (isAbsent(cause)) continue;
      if (cause instanceof PluginError) throw cause;
      throw new PluginError(
        'INVALID',
        `${path}: cannot be read: ${errorText(cause)}; correct its JSON, or let this user read it`,
        { cause },
      );
    }
  }
  throw new PluginError('INVALID', `${directory}: expected a marketplace with ${FILES[0]}, found none`);
}

async function entryOf(
  value: unknown,
  directory: string,
  from: Source | undefined,
): Promise<MarketplaceEntry | undefined> {
  const read = entrySchema.safeParse(value);
  if (!read.success) return undefined;
  const { name, source: given } = read.data;
  const description = read.data.description ?? null;
  if (typeof given !== 'string') {
    const { source: kind, repo, url, ref = null, path = null } = given;
    const source = kind === 'github' && repo ? `github:${repo}` : kind === 'url' ? url : undefined;
    if (!source) return undefined;
    return { name, description, source, ref, path, isPlugin: path?.startsWith(PLUGINS) === true };
  }
  const isPlugin = given.startsWith(`./${PLUGINS}`);
  if (isAbsolute(given) || given.startsWith('~') || given.includes('://') || given.startsWith('github:'))
    return { name, description, source: given, ref: null, path: null, isPlugin };
  const inside = normalize(given.replace(/^(?:\.?\/)+/, ''));
  if (inside.split('/').includes('..')) return undefined;
  const place = join(directory, inside);
  const isFolder = await stat(place).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return {
    name,
    description,
    ...originOf(inside, { directory, from }),
    isPlugin,
    ...(isFolder ? { directory: place } : {}),
  };
}

/** Returns where a folder of a marketplace comes from. */
function originOf(
  inside: string,
  { directory, from }: { readonly directory: string; readonly from: Source | undefined },
): Pick<MarketplaceEntry, 'source' | 'ref' | 'path'> {
  if (from === undefined || withoutCredentials(from.source) !== from.source)
    return { source: join(directory, inside), ref: null, path: null };
  const parsed = parseSource(from);
  if (parsed.kind === 'folder') return { source: join(parsed.directory, inside), ref: null, path: null };
  return { source: parsed.url, ref: parsed.ref, path: posix.join(parsed.path, inside) };
}
