import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findSkills, type Skill } from '@conv/agent';
import { systemPlatform } from '@conv/core/platform';
import { type Marketplace, type MarketplaceEntry, parseSource, readMarketplace, Snapshots } from '@conv/plugins';
import type { Offered } from '@conv/server';
import { z } from 'zod';

import type { PluginFolders } from './plugin-folders.ts';

/** Where the marketplace comes from. */
export interface MarketplaceOptions {
  /** A source of `@conv/plugins`; `null`: there is no marketplace. */
  readonly marketplace: string | null;
  /** A branch, a tag or a commit of it. Default: its HEAD. */
  readonly marketplaceRef?: string;
}

/** Another place of the list in OpenHands' repository of skills and plugins. */
const LIST = 'marketplaces/default.json';

/** Milliseconds after which a list is fetched again when it is asked for, and after which a failed fetch is tried again. */
const AGE = 5 * 60_000;

const LIMITS = { entries: 20_000, bytes: 256 * 1024 * 1024 };

const keptSchema = z.object({ source: z.string(), directory: z.string() });

type Offers = { readonly skills: readonly Offered[]; readonly plugins: readonly Offered[] };

/**
 * The marketplace, in a copy on this machine. A file beside the copies names the last fetched commit. Before the first fetch, OpenHands'
 * own clone is read, if it has one.
 */
export class MarketplaceCopy {
  readonly #folders: PluginFolders;
  readonly #options: MarketplaceOptions;
  readonly #snapshots: Snapshots;
  #asked: number | undefined;
  #fetching: Promise<void> | undefined;

  constructor(
    folders: PluginFolders,
    { hosts, ...options }: MarketplaceOptions & { readonly hosts: readonly string[] },
  ) {
    this.#folders = folders;
    this.#options = options;
    this.#snapshots = new Snapshots({ folder: folders.snapshots, hosts, limits: LIMITS });
  }

  /** Fetches the marketplace. Rejects `PluginError`; the last copy stays then. */
  fetch(): Promise<void> {
    return (this.#fetching ??= this.#fetch().finally(() => (this.#fetching = undefined)));
  }

  /** Resolves with what is offered, fetched again if that is some minutes old. Empty if it was never fetched and cannot be. */
  async offers(): Promise<Offers> {
    const now = systemPlatform.now();
    if (this.#asked === undefined || now - this.#asked > AGE) await this.fetch().catch(() => undefined);
    const market = await this.#read();
    if (!market) return { skills: [], plugins: [] };
    return {
      skills: [...market.plugins.filter(isSkill), ...market.skills].map(offered),
      plugins: market.plugins.filter(isPlugin).map(offered),
    };
  }

  /** Returns the folder that the entries of the marketplace come from, if it is one of this machine. */
  folders(): readonly string[] {
    const { marketplace: source } = this.#options;
    const parsed = source === null ? undefined : parseSource({ source });
    return parsed?.kind === 'folder' ? [parsed.directory] : [];
  }

  /** Reads the public skills of the last copy that its list names. No conversation waits for a fetch. */
  async skills(tell: (reasons: readonly string[]) => void): Promise<readonly Skill[]> {
    const directory = await this.#directory();
    if (directory === undefined) return [];
    const { skills, problems } = await findSkills(join(directory, 'skills'));
    tell(problems);
    const market = await this.#read();
    if (!market) return skills;
    const names = new Set([...market.plugins, ...market.skills].map(({ name }) => name));
    return skills.filter(({ name }) => names.has(name));
  }

  async #fetch(): Promise<void> {
    const { marketplace: source, marketplaceRef: ref = null } = this.#options;
    this.#asked = systemPlatform.now();
    if (source === null) return;
    const { directory } = await this.#snapshots.keep({ source, ref });
    const file = this.#file();
    await mkdir(dirname(file), { recursive: true });
    const next = `${file}.${systemPlatform.id()}`;
    await writeFile(next, JSON.stringify({ source, directory }));
    await rename(next, file);
  }

  async #read(): Promise<Marketplace | undefined> {
    const { marketplace: source, marketplaceRef: ref = null } = this.#options;
    const directory = await this.#directory();
    if (source === null || directory === undefined) return undefined;
    // OpenHands' clone is another marketplace, which OpenHands updates
    const from = directory === this.#folders.publicSkills ? undefined : { source, ref };
    return readMarketplace(directory, LIST, from).catch(() => undefined);
  }

  /** Resolves with the folder of the last copy of this source; else with that of OpenHands, which may not be there. */
  async #directory(): Promise<string | undefined> {
    const { marketplace: source } = this.#options;
    if (source === null) return undefined;
    const text = await readFile(this.#file(), 'utf8').catch(() => '');
    const kept = keptSchema.safeParse(parsed(text));
    return kept.success && kept.data.source === source ? kept.data.directory : this.#folders.publicSkills;
  }

  #file(): string {
    return join(this.#folders.snapshots, 'marketplace.json');
  }
}

function isPlugin({ isPlugin: found }: MarketplaceEntry): boolean {
  return found;
}

function isSkill(entry: MarketplaceEntry): boolean {
  return !isPlugin(entry);
}

function offered({ name, description, source, ref, path, directory }: MarketplaceEntry): Offered {
  return { name, description, source, ref, repo_path: path, ...(directory === undefined ? {} : { directory }) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
