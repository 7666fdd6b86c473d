import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { HookOutcome, HookRunner, Hooks, HookOccasion, HookSession, ToolSecrets } from '@conv/core';
import { type EventDraftOfKind, type EventOfKind, localTimestamp, stampEvent } from '@conv/core/events';
import { onTestFinished } from 'vitest';

export type HookEventDraft = EventDraftOfKind<'HookExecutionEvent'>;

/** Hooks at work in a folder of their own, closed and removed when the test ends. */
export interface HooksAtWork {
  readonly runner: HookRunner;
  readonly folder: string;
  readonly conversationId: string;
  /** The events of asynchronous hooks that have ended. */
  readonly ended: HookEventDraft[];
  readonly run: (occasion: HookOccasion, signal?: AbortSignal) => Promise<HookOutcome>;
}

export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'conv-hooks-test-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function putToWork(
  hooks: Hooks,
  { secrets, ask }: { readonly secrets?: ToolSecrets; readonly ask?: HookSession['ask'] } = {},
): HooksAtWork {
  const folder = temporaryFolder();
  const conversationId = crypto.randomUUID();
  const ended: HookEventDraft[] = [];
  const runner = hooks.start({
    conversationId,
    workingDirectory: folder,
    ...(secrets && { secrets }),
    ...(ask && { ask }),
    onAsyncEnd: (event) => ended.push(event),
  });
  onTestFinished(() => runner.close());
  return {
    runner,
    folder,
    conversationId,
    ended,
    run: (occasion, signal = new AbortController().signal) => runner.run(occasion, signal),
  };
}

/** The event as it is stored: throws unless the protocol allows every field of it. */
export function stored(draft: HookEventDraft | undefined): EventOfKind<'HookExecutionEvent'> {
  if (!draft) throw new Error('there is no event');
  return stampEvent(draft, { id: crypto.randomUUID(), timestamp: localTimestamp(new Date()) });
}
