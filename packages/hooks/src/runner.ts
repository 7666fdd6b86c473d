import { errorText, type HookOccasion, type HookOutcome, type HookRunner } from '@conv/core';
import type { Hook, HookGroup } from './hook.ts';
import { canBlock, concernsTools } from './hook-events.ts';
import type { HookResult } from './hook-result.ts';
import { maskOrHide } from './mask.ts';
import { type HookPlace, runHook } from './run-hook.ts';

/** Runs the hooks of one conversation. */
export class Runner implements HookRunner {
  readonly #groups: ReadonlyMap<HookOccasion['type'], readonly HookGroup[]>;
  readonly #place: HookPlace;
  readonly #closing = new AbortController();
  readonly #background = new Set<Promise<void>>();

  constructor(groups: ReadonlyMap<HookOccasion['type'], readonly HookGroup[]>, place: HookPlace) {
    this.#groups = groups;
    this.#place = place;
  }

  handles(occasion: Pick<HookOccasion, 'type' | 'toolName'>): boolean {
    return this.#hooksFor(occasion).length > 0;
  }

  async run(occasion: HookOccasion, signal: AbortSignal): Promise<HookOutcome> {
    const results: HookResult[] = [];
    for (const hook of this.#hooksFor(occasion)) {
      signal.throwIfAborted();
      if (hook.background) {
        this.#start(hook, occasion);
        continue;
      }
      const result = await runHook(hook, occasion, this.#place, signal);
      signal.throwIfAborted();
      results.push(result);
      if (result.blocked) break;
    }
    signal.throwIfAborted();
    return outcomeOf(results, canBlock(occasion.type));
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#background);
    await this.#place.confinement?.close();
  }

  #hooksFor({ type, toolName }: Pick<HookOccasion, 'type' | 'toolName'>): readonly Hook[] {
    const groups = this.#groups.get(type) ?? [];
    return groups.flatMap(({ matches, hooks }) => (!concernsTools(type) || matches(toolName) ? hooks : []));
  }

  #start(hook: Hook, occasion: HookOccasion): void {
    const work = this.#runInBackground(hook, occasion).finally(() => this.#background.delete(work));
    this.#background.add(work);
  }

  async #runInBackground(hook: Hook, occasion: HookOccasion): Promise<void> {
    const { event } = await runHook(hook, occasion, this.#place, this.#closing.signal);
    try {
      this.#place.session.onAsyncEnd(event);
    } catch (error) {
      // no caller waits for this hook, so a process warning is the only way to report the listener that broke its promise
      const text = errorText(error);
      process.emitWarning(maskOrHide(text, this.#place.session.secrets?.masker), 'HookWarning');
    }
  }
}

function outcomeOf(results: readonly HookResult[], blockable: boolean): HookOutcome {
  const contexts = results.flatMap(({ additionalContext }) => additionalContext ?? []);
  return {
    events: results.map(({ event }) => event),
    blocked: blockable && results.some(({ blocked }) => blocked),
    reason: results.find(({ reason }) => reason !== undefined)?.reason,
    additionalContext: contexts.length > 0 ? contexts.join('\n\n') : undefined,
  };
}
