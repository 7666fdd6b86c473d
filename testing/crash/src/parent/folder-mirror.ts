import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { toConversationKey } from '@conv/core/store';
import { eventFileName, fallbackHead } from '@conv/openhands/folder';
import type { FsStore } from '@conv/persist-fs';
import type { LogImage } from '@conv/testing-harness';

import type { Findings } from './findings.ts';
import { checkSettings, type SafetySettings } from './check-settings.ts';
import type { Ledger } from './ledger.ts';

/** The files that OpenHands reads, compared with the log and with what was acknowledged. */
export class FolderMirror {
  readonly #store: FsStore;
  readonly #directory: string;

  constructor(store: FsStore, directory: string) {
    this.#store = store;
    this.#directory = directory;
  }

  /** Checks that the settings in the files are at least as strict as the acknowledged settings. */
  checkSettings(id: string, told: Ledger['settings'], findings: Findings): void {
    const base = readBaseState(this.#directory, id);
    if (base) checkSettings('base_state.json', base, told, findings);
  }

  /** Resolves when the files of a fork, which follow in the background, are there. */
  async complete(id: string): Promise<void> {
    await this.#store.mirrorComplete(id);
  }

  /** Checks that the files agree with the log. For a conversation that was closed. */
  check(id: string, image: LogImage, findings: Findings): void {
    checkFiles(this.#directory, id, image, findings);
  }
}

/** A `base_state.json` as another program reads it. */
interface BaseState extends SafetySettings {
  readonly leafEventId: string | null;
  readonly headIsEmpty: boolean;
}

/** Reads `base_state.json`; `undefined` when there is none. */
function readBaseState(directory: string, id: string): BaseState | undefined {
  const file = join(directory, toConversationKey(id), 'base_state.json');
  if (!existsSync(file)) return undefined;
  const base = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  const leaf = base['leaf_event_id'];
  return {
    confirmationPolicy: base['confirmation_policy'],
    maxIterations: base['max_iterations'],
    securityAnalyzer: base['security_analyzer'],
    leafEventId: typeof leaf === 'string' ? leaf : null,
    headIsEmpty: base['head_is_empty'] === true,
  };
}

function checkFiles(directory: string, id: string, { events, projection }: LogImage, findings: Findings): void {
  const folder = join(directory, toConversationKey(id), 'events');
  const missing = new Map(events.map((event, index) => [eventFileName(index, event.id), event]));
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.json'))) {
    const event = missing.get(name);
    if (!event) findings.add('duplicated', `${id}: ${name}`, 'shows an event that the log does not have there');
    else if (!isDeepStrictEqual(JSON.parse(readFileSync(join(folder, name), 'utf8')), event))
      findings.add('lost', `${id}: ${name}`, 'shows another event than the log');
    missing.delete(name);
  }
  for (const name of missing.keys()) findings.add('lost', `${id}: ${name}`, 'is missing');
  const base = readBaseState(directory, id);
  const head = base?.headIsEmpty ? null : (base?.leafEventId ?? fallbackHead(events));
  if (head !== projection.fields.leafEventId)
    findings.add('misordered', `${id}: base_state.json`, `HEAD is ${head}, not ${projection.fields.leafEventId}`);
}
