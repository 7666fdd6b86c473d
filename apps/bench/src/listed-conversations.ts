import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { initialFields, type StateFields } from '@conv/core';
import { toBaseState, toMeta } from '@conv/openhands/folder';

/** The time at which the first conversation was made. */
const BEGIN = Date.UTC(2026, 0, 1);

/** A conversation of a list: its id, and the number that its title and its times are made of. */
export interface Listed {
  readonly id: string;
  readonly nth: number;
}

/** So many conversations for a list. */
export function* listed(count: number): Generator<Listed> {
  for (let nth = 0; nth < count; nth++) yield { id: randomUUID(), nth };
}

/** The state of a listed conversation. */
export function fieldsOf({ id, nth }: Listed): StateFields {
  return {
    ...initialFields,
    id,
    title: `Conversation ${nth} about something that someone asked`,
    createdAt: timeOf(nth),
    executionStatus: 'finished',
    workspace: { kind: 'LocalWorkspace', workingDir: '/tmp' },
  };
}

/** The time of a conversation with this number, a second after the one before. */
export function timeOf(nth: number): string {
  return new Date(BEGIN + nth * 1000).toISOString();
}

/** Makes folders of conversations as another program of the same format leaves them: a state and what lists show. Logs of so many would take an hour. */
export function fillFolder(directory: string, count: number): void {
  for (const one of listed(count)) {
    const folder = join(directory, one.id.replaceAll('-', ''));
    const fields = fieldsOf(one);
    mkdirSync(folder);
    writeFileSync(join(folder, 'base_state.json'), JSON.stringify(toBaseState(fields)));
    writeFileSync(join(folder, 'meta.json'), JSON.stringify(toMeta(fields, timeOf(one.nth))));
  }
}
