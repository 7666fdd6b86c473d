import type { JsonObject } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';
import type { Disk } from './disk.ts';
import { ifThere, isMissing } from './from-fs-error.ts';
import { readFile } from './whole-file.ts';

/** A JSON file, if it is there and holds an object. I/O errors throw; damage does not. */
export function readJsonObject(disk: Disk, path: string): JsonObject | undefined {
  return parseObject(ifThere(() => readFile(disk, path)));
}

/** Reads the same without blocking the process, for lists of many conversations. */
export async function loadJsonObject(disk: Disk, path: string): Promise<JsonObject | undefined> {
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
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
