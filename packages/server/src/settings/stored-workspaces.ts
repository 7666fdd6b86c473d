import type { Json, JsonObject } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';

import type { SettingsDeps, StoredObject } from './settings-place.ts';

/** A folder that a client works in. */
export interface KeptWorkspace {
  readonly id: string;
  readonly name: string;
  readonly path: string;
  readonly parentPath?: string;
}

/** A folder in which clients look for such folders. */
export type WorkspaceParent = Omit<KeptWorkspace, 'parentPath'>;

/** Folders that clients have listed. */
export interface StoredWorkspaces {
  readonly workspaces: readonly KeptWorkspace[];
  readonly workspaceParents: readonly WorkspaceParent[];
}

type ListName = keyof StoredWorkspaces;

/** The folders that clients have listed. */
export class ListedWorkspaces {
  readonly #object: StoredObject;

  constructor({ place }: Pick<SettingsDeps, 'place'>) {
    this.#object = place.workspaces;
  }

  /** Rejects `StoredObjectError`. */
  async get(): Promise<StoredWorkspaces> {
    return toWorkspaces(await this.#object.read());
  }

  /** Adds folders. A folder replaces the listed folder with the same path. */
  async add(list: ListName, items: readonly KeptWorkspace[]): Promise<StoredWorkspaces> {
    return this.#change(list, (before) => {
      const paths = new Set(items.map(({ path }) => path));
      return [...before.filter(({ path }) => !paths.has(path)), ...items];
    });
  }

  /** Resolves with true if the folder was listed. */
  async remove(list: ListName, path: string): Promise<boolean> {
    let found = false;
    await this.#change(list, (before) => {
      const rest = before.filter((item) => item.path !== path);
      found = rest.length < before.length;
      return rest;
    });
    return found;
  }

  async #change(
    list: ListName,
    work: (before: readonly KeptWorkspace[]) => readonly KeptWorkspace[],
  ): Promise<StoredWorkspaces> {
    let changed: StoredWorkspaces | undefined;
    await this.#object.change((stored) => {
      const before = toWorkspaces(stored);
      changed = { ...before, [list]: work(before[list]) };
      return { schema_version: 1, ...stored, ...(changed as unknown as JsonObject) };
    });
    return changed as StoredWorkspaces;
  }
}

function toWorkspaces(stored: JsonObject | undefined): StoredWorkspaces {
  return {
    workspaces: itemsOf(stored?.['workspaces']),
    workspaceParents: itemsOf(stored?.['workspaceParents']),
  };
}

function itemsOf(value: Json | undefined): readonly KeptWorkspace[] {
  if (!Array.isArray(value)) return [];
  const isItem = (item: Json): boolean => isJsonObject(item) && typeof item['path'] === 'string';
  return value.filter(isItem) as unknown as readonly KeptWorkspace[];
}
