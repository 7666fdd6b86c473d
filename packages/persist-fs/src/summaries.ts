import { join } from 'node:path';
import { initialFields, type JsonObject, type StateFields } from '@conv/core';
import { fromBaseState, fromMeta } from '@conv/core/openhands';
import { toConversationId, type ConversationSummary } from '@conv/core/store';
import { pathsIn } from './conversation-path.ts';
import type { Disk } from './disk.ts';
import { ifThere } from './from-fs-error.ts';
import { validMark } from './view-state.ts';
import { readFile } from './whole-file.ts';

const FOLDER = /^[0-9a-f]{32}$/;

/** A line for every conversation in a folder, from its small files alone. What is damaged there is left at its default. */
export function summaries(disk: Disk, root: string): ConversationSummary[] {
  const names = ifThere(() => disk.list(root)) ?? [];
  return names
    .filter((name) => FOLDER.test(name))
    .map((name) => summaryOf(disk, root, name))
    .filter((summary) => summary !== undefined);
}

/** A JSON file, if it is there and holds an object. I/O errors throw; damage does not. */
export function readJsonObject(disk: Disk, path: string): JsonObject | undefined {
  const text = ifThere(() => readFile(disk, path))?.toString();
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

function summaryOf(disk: Disk, root: string, name: string): ConversationSummary | undefined {
  const path = pathsIn(root, toConversationId(name), join(root, name));
  const folder = disk.stat(path.folder);
  if (folder?.kind !== 'folder') return undefined;
  const meta = readJsonObject(disk, path.meta);
  const base = readJsonObject(disk, path.baseState);
  if (!meta && !base && !disk.stat(path.log) && !disk.stat(path.baseState) && !disk.stat(path.meta)) return undefined;
  const changed = new Date(folder.modified).toISOString();
  const fields: StateFields = {
    ...initialFields,
    createdAt: changed,
    ...(base && fromBaseState(base)),
    ...(meta && fromMeta(meta)),
  };
  const { title, executionStatus, createdAt, tags, parentId, forkedFrom } = fields;
  const saved = meta?.['updated_at'];
  const updatedAt = (base && validMark(base)?.updatedAt) ?? (typeof saved === 'string' ? saved : changed);
  return { id: path.id, title, status: executionStatus, createdAt, updatedAt, tags, parentId, forkedFrom };
}
