import { join } from 'node:path';

import type { JsonObject } from '@conv/core';
import { text } from '@conv/core/tool';
import { z } from 'zod';

import type { DescribedEntry, Files } from '../file-editor/files.ts';
import { Refusal } from '../file-editor/refusal.ts';
import { hasCode } from '../file-editor/write-file.ts';
import { localTime } from './local-time.ts';
import type { Preset } from './preset-tool.ts';

const MOST_ENTRIES = 500;

const input = z.object({
  dir_path: z.string().default('.').describe('The folder to list. Default: the working folder.'),
  recursive: z.boolean().default(false).describe('True to list the folders in it, too.'),
});

/** Lists a folder with sizes and times. */
export const listDirectoryPreset: Preset<typeof input> = {
  name: 'list_directory',
  kind: 'ListDirectory',
  description: `Lists the files and folders in a folder, hidden ones included, with sizes and times: at most ${MOST_ENTRIES}. With \`recursive\` it lists the folders in it, too.`,
  input,
  readOnly: true,
  file: () => undefined,
  execute: ({ dir_path: given, recursive }, workplace, context) =>
    workplace.answer(
      given,
      context,
      async (path) => {
        const { files } = workplace;
        const entries = await entriesOf(files, path, { recursive, signal: context.signal });
        const found = entries.map((entry) => described(path, entry));
        if (recursive)
          for (const { name, isFolder } of entries) {
            if (!isFolder || found.length >= MOST_ENTRIES) continue;
            const folder = join(path, name);
            // a folder that may not be read is still one entry of its parent
            const inside = await entriesOf(files, folder, { recursive, signal: context.signal }).catch(
              (error: unknown) => {
                if (!workplace.isPassedOver(error)) throw error;
                return [];
              },
            );
            context.signal.throwIfAborted();
            for (const entry of inside) found.push(described(folder, entry));
          }
        const shown = found.slice(0, MOST_ENTRIES);
        const isTruncated = found.length >= MOST_ENTRIES;
        const total = recursive ? found.length : shown.length;
        const about = `Listed directory: ${path} (${total} entries${isTruncated ? `, truncated to ${MOST_ENTRIES}` : ''})`;
        return {
          content: text([about, ...shown.map(lineOf)].join('\n')),
          fields: { dir_path: path, entries: shown, total_count: total, is_truncated: isTruncated },
        };
      },
      { fields: () => ({ entries: [], total_count: 0, is_truncated: false }) },
    ),
};

/** Lists a folder, folders first if they are listed, too. Rejects {@link Refusal} for anything but a folder. */
async function entriesOf(
  files: Files,
  path: string,
  { recursive, signal }: { readonly recursive: boolean; readonly signal: AbortSignal },
): Promise<readonly DescribedEntry[]> {
  const entries = await files.describe(path, signal).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) throw new Refusal(`Directory not found: ${path}`);
    if (hasCode(error, 'ENOTDIR')) throw new Refusal(`Path is not a directory: ${path}`);
    throw error;
  });
  const sorted = entries.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return recursive ? sorted.toSorted((one, other) => Number(other.leadsToFolder) - Number(one.leadsToFolder)) : sorted;
}

interface Listed extends JsonObject {
  readonly path: string;
  readonly is_directory: boolean;
  readonly size: number;
}

function described(folder: string, { name, leadsToFolder, size, modified }: DescribedEntry): Listed {
  return {
    name,
    path: join(folder, name),
    is_directory: leadsToFolder,
    size: leadsToFolder ? 0 : size,
    modified_time: localTime(modified),
  };
}

function lineOf({ path, is_directory: isFolder, size }: Listed): string {
  return isFolder ? `${path}/` : `${path} (${size} bytes)`;
}
