import type { JsonObject } from '@conv/core';
import { text, type ToolContext, type ToolResult } from '@conv/core/tool';
import { z } from 'zod';

import { explainFailure } from '../file-editor/explain-failure.ts';
import { withLineEndingsOf, withLineFeeds } from '../file-editor/line-endings.ts';
import { refuseMaskedText } from '../file-editor/masked-text.ts';
import { Refusal } from '../file-editor/refusal.ts';
import { encodeText } from '../file-editor/text-file.ts';
import { PatchError } from '../patch/patch-error.ts';
import { neededFiles, type PatchChange, readPatch } from '../patch/read-patch.ts';
import type { Preset } from './preset-tool.ts';
import { keptText, type OpenText, type Workplace } from './workplace.ts';

const input = z.object({
  patch: z.string().describe("The patch, from '*** Begin Patch' to '*** End Patch'."),
});

const ABOUT = `Changes files in the working folder by a patch of this form:

*** Begin Patch
*** Update File: path/of/file
@@ a line before the change
 a line that stays
-a line that goes
+a line that comes
*** Add File: path/of/new/file
+a line
*** Delete File: path/of/other/file
*** End Patch

A file that is updated may get another name by \`*** Move to: path\` below its own line. Nothing is changed unless the whole patch fits.`;

/** Applies a patch of several files. */
export const applyPatchPreset: Preset<typeof input> = {
  name: 'apply_patch',
  kind: 'ApplyPatch',
  description: ABOUT,
  input,
  readOnly: false,
  file: () => undefined,
  // the files stand in the patch, and it may name any of them
  exclusive: true,
  execute: ({ patch }, workplace, context) =>
    workplace.answer('.', context, () => apply(patch, workplace, context), {
      fields: () => ({ message: '', fuzz: 0 }),
      said: (message) => message,
    }),
};

async function apply(patch: string, workplace: Workplace, { signal }: ToolContext): Promise<ToolResult> {
  // files stay open until all are changed, so that a change by another program in between is found
  const before = new Map<string, OpenText>();
  try {
    for (const path of neededFiles(patch)) before.set(path, await openInside(workplace, path, signal));
    const plain = new Map([...before].map(([path, { decoded }]) => [path, withLineFeeds(decoded.text)]));
    const { changes, fuzz } = readPatch(patch, plain);
    const steps = changes.flatMap((change) => stepsOf(workplace, change, before.get(change.path)));
    checkPaths(workplace, steps);
    await checkFree(workplace, changes);
    await takeAll(steps, signal);
    return { content: text('Done!'), fields: { message: 'Done!', fuzz, ...commitOf(workplace, changes) } };
  } catch (error) {
    if (error instanceof PatchError) return failed(error.message);
    throw error;
  } finally {
    await Promise.all([...before.values()].map((opened) => opened[Symbol.asyncDispose]()));
  }
}

function failed(message: string): ToolResult {
  return { content: text(message), isError: true, fields: { message: '', fuzz: 0 } };
}

async function openInside(workplace: Workplace, path: string, signal: AbortSignal): Promise<OpenText> {
  const whole = insideOf(workplace, path);
  const opened = await workplace.openText(whole, 'write', signal).catch((cause: unknown) => {
    signal.throwIfAborted();
    return refuse(whole, cause);
  });
  if (!opened) throw new PatchError(`Delete File Error: Missing File: ${path}`);
  return opened;
}

/** Returns the absolute path of a file in the working folder, links followed. Throws {@link PatchError} for any other file. */
function insideOf(workplace: Workplace, path: string): string {
  const whole = workplace.pathOf(path);
  const root = workplace.resource(workplace.session.workingDirectory);
  if (path.includes('\0') || !workplace.resource(whole).startsWith(root.endsWith('/') ? root : `${root}/`))
    throw new PatchError('Absolute or escaping paths are not allowed');
  return whole;
}

/** Writes or removes one file. */
interface Step {
  readonly path: string;
  readonly take: (signal: AbortSignal) => Promise<void>;
}

/** Checks a change and returns the steps that carry it out. Throws {@link PatchError} or {@link Refusal}. */
function stepsOf(workplace: Workplace, change: PatchChange, old: OpenText | undefined): readonly Step[] {
  const path = insideOf(workplace, change.path);
  const removal: Step = { path, take: async (signal) => old?.file.remove(signal) };
  if (change.type === 'delete') return [removal];
  if (workplace.hasSecrets) refuseNewMask(change);
  if (change.type === 'add' || !old) return [writing(workplace, path, Buffer.from(change.after))];
  const { file, decoded } = old;
  const after = withLineEndingsOf(decoded.text, { start: 0, end: decoded.text.length }, change.after);
  const bytes = encodeText({ ...decoded, text: after });
  if (!bytes) throw new Refusal(`${path} is encoded as ${decoded.encoding}, which lacks a character of the new text.`);
  const target = change.movedTo === '' ? path : insideOf(workplace, change.movedTo);
  if (target !== path) return [writing(workplace, target, bytes), removal];
  workplace.checkSize(path, bytes);
  return [{ path, take: (signal) => file.replace(bytes, signal) }];
}

function writing(workplace: Workplace, path: string, bytes: Buffer): Step {
  workplace.checkSize(path, bytes);
  return { path, take: async (signal) => void (await workplace.files.create(path, bytes, signal)) };
}

/** Refuses a text with the mask, unless the file had it before. */
function refuseNewMask(change: Exclude<PatchChange, { readonly type: 'delete' }>): void {
  const had = change.type === 'update' ? change.before : '';
  for (const line of change.after.split('\n')) if (!had.includes(line)) refuseMaskedText('patch', line);
}

/** Rejects {@link PatchError} if a change makes a file that is there, because the text of that file would be lost. */
async function checkFree(workplace: Workplace, changes: readonly PatchChange[]): Promise<void> {
  for (const { type, path, ...change } of changes) {
    const isMove = 'movedTo' in change && change.movedTo !== '';
    const made = isMove ? change.movedTo : path;
    const isSame = isMove && insideOf(workplace, made) === insideOf(workplace, path);
    if ((type === 'add' || (isMove && !isSame)) && (await workplace.files.isTaken(insideOf(workplace, made))))
      throw new PatchError(`${isMove ? 'Move' : 'Add'} File Error: File already exists: ${made}`);
  }
}

/** Throws {@link PatchError} if two steps concern one file, because the later step would undo the earlier one. */
function checkPaths(workplace: Workplace, steps: readonly Step[]): void {
  const seen = new Set<string>();
  for (const { path } of steps) {
    const name = workplace.resource(path);
    if (seen.has(name)) throw new PatchError(`Duplicate Path: ${path}`);
    seen.add(name);
  }
}

/** Takes the steps one after the other. A failure between two of them says which files were changed. */
async function takeAll(steps: readonly Step[], signal: AbortSignal): Promise<void> {
  const done: string[] = [];
  for (const { path, take } of steps) {
    try {
      await take(signal);
      done.push(path);
    } catch (cause) {
      signal.throwIfAborted();
      refuse(path, cause, done);
    }
  }
}

/** Throws a {@link Refusal} that names the file of a failure and the files that were changed before it. */
function refuse(path: string, cause: unknown, done: readonly string[] = []): never {
  const why = explainFailure(path, cause);
  if (why === undefined) throw cause;
  const changed = done.length === 0 ? '' : ` These files were changed before it: ${done.join(', ')}`;
  throw new Refusal(`${why}${changed}`, { cause });
}

/** Returns the member that tells of the changes, unless it is too long for an event. */
function commitOf(workplace: Workplace, changes: readonly PatchChange[]): JsonObject {
  const told = changes.map((change): readonly [string, JsonObject] => {
    const { type } = change;
    const old = type === 'add' ? undefined : workplace.shown(change.before);
    const made = type === 'delete' ? undefined : workplace.shown(change.after);
    return [
      change.path,
      {
        type,
        ...(old === undefined ? {} : { old_content: old }),
        ...(made === undefined ? {} : { new_content: made }),
        ...(type === 'update' ? { move_path: change.movedTo } : {}),
      },
    ];
  });
  const commit = { changes: Object.fromEntries(told) };
  return 'commit' in keptText('commit', JSON.stringify(commit)) ? { commit } : {};
}
