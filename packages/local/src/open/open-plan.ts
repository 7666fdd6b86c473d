import { join, resolve } from 'node:path';
import { checks, checkOptionNames, type StateFields } from '@conv/core';
import { toConversationKey, type ConversationStore } from '@conv/core/store';
import type { Executor } from '@conv/core/tool';
import { isoNow, systemPlatform } from '@conv/core/platform';

import { parseId } from '../options/parse-id.ts';
import { checkOwnOptions } from '../options/check-options.ts';
import type { ChildHost } from '../children/child-host.ts';
import {
  defaultFolder,
  executorOf,
  givenFields,
  givenFolder,
  type LocalConversationOptions,
  OPTION_NAMES,
} from '../options/conversation-options.ts';
import { inheritSettings, stillAsStrictAs } from '../children/inherit.ts';

const DEFAULT_PERSISTENCE_DIR = 'workspace/conversations';

/** The checked options, before anything is touched. */
export interface OpenPlan {
  readonly id: string;
  /** The folder of conversations when no store was given. */
  readonly directory: string;
  readonly folderOf: (id: string) => string | null;
  /** The fields to change in a stored conversation. */
  readonly given: Partial<StateFields>;
  readonly workingDir: string | undefined;
  readonly executor: Executor | undefined;
  readonly parentId: string | null;
  /** The fields of a new conversation. */
  readonly initial: Partial<StateFields>;
}

/** Checks the options and returns the plan. Throws `INVALID_INPUT`. A child has a folder if its parent has folders. */
export function toPlan(options: LocalConversationOptions, host?: Pick<ChildHost, 'folderOf'>): OpenPlan {
  checkOptionNames('Conversation', options, OPTION_NAMES, (message) =>
    checks.invalid(
      message.includes('no option "resume"')
        ? `${message}; to open a stored conversation write Conversation.resume(id)`
        : message,
    ),
  );
  checks.sharedOptions(options);
  checkOwnOptions(options);
  if (options.store && options.persistenceDir !== undefined)
    throw checks.invalid('Conversation: store and persistenceDir cannot be given together; give one of them');
  checkOwner(options);
  const { platform = systemPlatform } = options;
  const id = parseId(options.id ?? platform.id());
  const directory = resolve(options.persistenceDir ?? DEFAULT_PERSISTENCE_DIR);
  const ownFolder = (conversation: string): string | null =>
    options.store ? null : join(directory, toConversationKey(conversation));
  const folderOf = host?.folderOf ?? ownFolder;
  const given = givenFields(options);
  const workingDir = givenFolder(options);
  const executor = executorOf(options);
  const parentId = options.parentId === undefined ? null : parseId(options.parentId);
  const initial: Partial<StateFields> = {
    id,
    persistenceDir: folderOf(id),
    createdAt: isoNow(platform),
    workspace: storedWorkspace(workingDir ?? defaultFolder(), executor),
    parentId,
    ...metaOf(options),
    ...given,
  };
  return { id, directory, folderOf, given, workingDir, executor, parentId, initial };
}

function metaOf({ meta, openhands }: LocalConversationOptions): Pick<StateFields, 'extra'> | undefined {
  if (!meta && openhands === undefined) return undefined;
  return { extra: { baseState: {}, meta: { ...meta, ...(openhands === undefined ? {} : { openhands }) } } };
}

/** Returns the workspace as it is stored. It does not name the executor, whose address may change. */
export function storedWorkspace(workingDir: string, executor: Executor | undefined): StateFields['workspace'] {
  return { kind: 'LocalWorkspace', workingDir, ...(executor ? { executor: true } : {}) };
}

/** Returns the plan of a child: a new one is at least as strict as its parent (P10). Rejects as `inheritSettings`. */
export async function withParent(store: ConversationStore, plan: OpenPlan): Promise<OpenPlan> {
  const { id, parentId, initial } = plan;
  if (parentId === null) return plan;
  const inherited = await inheritSettings(store, { id, parentId, given: plan.given });
  return inherited
    ? { ...plan, given: inherited.given, initial: { ...initial, ...inherited.given, ...inherited.secrets } }
    : plan;
}

/** Returns the plan of a stored child that works for its parent again: it becomes as strict as the parent has become (P10). */
export function withHost(plan: OpenPlan, stored: StateFields, host: Pick<ChildHost, 'parent'>): OpenPlan {
  return { ...plan, given: stillAsStrictAs(host.parent(), stored, plan.given) };
}

function checkOwner({ owner, interruptedRun = 'pause' }: LocalConversationOptions): void {
  if (owner !== undefined && (typeof owner !== 'string' || owner.trim() === ''))
    throw checks.invalid(checks.wrongValue('Conversation: owner', 'a text that is not blank', owner));
  if (interruptedRun !== 'pause' && interruptedRun !== 'resume')
    throw checks.invalid(checks.wrongValue('Conversation: interruptedRun', "'pause' or 'resume'", interruptedRun));
}
