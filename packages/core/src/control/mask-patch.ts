import type { EventDraft } from '../events/index.ts';
import type { StateFields, QueuedMessage } from '../state/fields.ts';
import type { StatePatch } from '../state/patch.ts';
import type { EventMask } from './event-mask.ts';

/** Fields that hold what people, models and tools said. The others are settings, and names and numbers of ours. */
const CONTENT: ReadonlySet<string> = new Set<keyof StateFields>([
  'title',
  'tags',
  'agentState',
  'blockedActions',
  'blockedMessages',
  'assessments',
]);

/** The patch with its content masked. */
export function maskPatch(patch: StatePatch, mask: EventMask): StatePatch {
  if (!mask.active) return patch;
  const { set, add } = patch;
  return { ...patch, ...(set ? { set: maskFields(set, mask) } : {}), ...(add ? { add: maskFields(add, mask) } : {}) };
}

function maskFields<Fields extends Partial<StateFields>>(fields: Fields, mask: EventMask): Fields {
  const masked = Object.entries(fields).map(([name, value]: [string, unknown]): [string, unknown] => {
    if (name === 'queue') return [name, (value as readonly QueuedMessage[]).map((queued) => maskQueued(queued, mask))];
    return [name, CONTENT.has(name) ? mask.json(value) : value];
  });
  return Object.fromEntries(masked) as Fields;
}

function maskQueued(queued: QueuedMessage, mask: EventMask): QueuedMessage {
  const draft = mask.draft(queued.draft as unknown as EventDraft) as unknown as QueuedMessage['draft'];
  return { ...queued, draft };
}
