import { join } from 'node:path';
import { initialFields, type JsonObject, type StateFields } from '@conv/core';
import { fromBaseState, fromMeta } from '@conv/core/openhands';
import { toConversationId, type ConversationSummary } from '@conv/core/store';
import { pathsIn } from './conversation-path.ts';
import type { Disk } from './disk.ts';
import { ifThere, isMissing } from './from-fs-error.ts';
import { validMark } from './view-state.ts';
import { readFile } from './whole-file.ts';

const FOLDER = /^[0-9a-f]{32}$/;
/** Folders that are read at the same time: enough to keep a device busy, and no more descriptors than that. */
const AT_ONCE = 8;

/** A line for every conversation in a folder, from its small files alone. What is damaged there is left at its default. */
export async function summaries(disk: Disk, root: string): Promise<ConversationSummary[]> {
  const names = (ifThere(() => disk.list(root)) ?? []).filter((name) => FOLDER.test(name));
  const found: ConversationSummary[] = [];
  const left = names.values();
  const readSome = async (): Promise<void> => {
    for (const name of left) {
      const summary = await summaryOf(disk, root, name);
      if (summary) found.push(summary);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, readSome));
  return found;
}

/** A JSON file, if it is there and holds an object. I/O errors throw; damage does not. */
export function readJsonObject(disk: Disk, path: string): JsonObject | undefined {
  return parseObject(ifThere(() => readFile(disk, path)));
}

/** The same, where many are read. */
async function loadJsonObject(disk: Disk, path: string): Promise<JsonObject | undefined> {
  try {
    return parseObject(await disk.readFile(path));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function parseObject(bytes: Uint8Array | undefined): JsonObject | undefined {
  if (bytes === undefined) return undefined;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

async function summaryOf(disk: Disk, root: string, name: string): Promise<ConversationSummary | undefined> {
  const path = pathsIn(root, toConversationId(name), join(root, name));
  const folder = disk.stat(path.folder);
  if (folder?.kind !== 'folder') return undefined;
  const [meta, base] = await Promise.all([loadJsonObject(disk, path.meta), loadJsonObject(disk, path.baseState)]);
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
