import { checks, type StateFields } from '@conv/core';
import { isObject } from '@conv/core/platform';
import type { ConversationStore } from '@conv/core/store';

import type { LocalConversationOptions } from './conversation-options.ts';
import { isReleases, releasesIn } from './releases.ts';

/** True if `value` has the methods that conversations need of a store. */
export function isStore(value: unknown): value is ConversationStore {
  const methods = ['open', 'read', 'list', 'close'] as const;
  return isObject(value) && methods.every((name) => name in value && typeof (value as never)[name] === 'function');
}

/** Checks the options that only a local conversation has. Throws `INVALID_INPUT` that names the option. */
export function checkOwnOptions(options: LocalConversationOptions): void {
  const { agent, store, persistenceDir, cipher, meta, openhands, approvalTimeout } = options;
  const has = (value: object, ...names: readonly string[]): boolean =>
    names.every((name) => typeof (value as Readonly<Record<string, unknown>>)[name] === 'function');
  if (agent !== undefined && !(isObject(agent) && has(agent, 'describe', 'start')))
    throw wrong('agent', 'createAgent({ model, tools })', agent);
  if (store !== undefined && !isStore(store)) throw wrong('store', 'a store such as new FsStore({ directory })', store);
  if (persistenceDir !== undefined && (typeof persistenceDir !== 'string' || persistenceDir === ''))
    throw wrong('persistenceDir', "the path of a folder, such as 'conversations'", persistenceDir);
  if (cipher !== undefined && !(isObject(cipher) && has(cipher, 'encrypt', 'decrypt')))
    throw wrong('cipher', 'fernetCipher(key)', cipher);
  if (approvalTimeout !== undefined && !(typeof approvalTimeout === 'number' && approvalTimeout > 0))
    throw wrong('approvalTimeout', 'milliseconds above 0', approvalTimeout);
  if (meta !== undefined && !isObject(meta)) throw wrong('meta', 'an object', meta);
  if (openhands !== undefined && !isReleases(openhands))
    throw wrong('openhands', "releases such as '>=1.54'", openhands);
}

/**
 * Throws `INVALID_INPUT` if a stored conversation was made for other releases of OpenHands than the given ones. Damage of the first commit
 * may have taken them, and then they are not compared, because the conversation must open (P4).
 */
export function checkReleases(fields: StateFields, { openhands }: LocalConversationOptions): void {
  const { id, extra, damage } = fields;
  const stored = releasesIn(extra.meta);
  if (openhands === undefined || openhands === stored) return;
  if (id === '' || damage.some(({ from }) => from === 0)) return;
  const made = stored === undefined ? 'none' : JSON.stringify(stored);
  throw checks.invalid(
    `Conversation: openhands: expected ${made}, with which conversation ${id} was made, found ${JSON.stringify(openhands)}; leave it out, or make a new conversation`,
  );
}

function wrong(name: string, expected: string, found: unknown): Error {
  return checks.invalid(checks.wrongValue(`Conversation: ${name}`, expected, found));
}
