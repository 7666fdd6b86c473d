import { createConversationFactory, type Agent, type Conversation } from '@conv/core';
import { MemoryStore } from '@conv/core/store';

import { local, type LocalConversation } from '../../src/index.ts';

declare const agent: Agent;

const runtime = local({ storeAt: () => new MemoryStore() });
const Local = createConversationFactory({ runtimes: [runtime] });

export const given = async (): Promise<LocalConversation> => Local({ agent, workspace: 'project', maxBudget: 2 });
export const made = async (): Promise<LocalConversation> => Local.create({ agent });
export const resumed = async (): Promise<LocalConversation> => Local.resume('id');
export const resumedWith = async (): Promise<LocalConversation> => Local.resume('id', { toolTimeout: 1000 });

/** A factory of a local runtime alone gives what only local conversations have. */
export const ofLocal = async (conversation: Awaited<ReturnType<typeof Local>>): Promise<readonly unknown[]> => {
  await conversation.close({ runs: 'leave' });
  return [conversation.stuck, conversation.agent];
};

/** Any of several runtimes gives what every conversation has. */
export const ofAny = (conversation: LocalConversation): Conversation => conversation;

// @ts-expect-error: there is no such option
export const policy = (): Promise<unknown> => Local({ agent, confirmationPolcy: { kind: 'AlwaysConfirm' } });
// @ts-expect-error: there is no such option
export const budget = (): Promise<unknown> => Local({ agent, maxBudgt: 2 });
// @ts-expect-error: there is no such option
export const timeout = (): Promise<unknown> => Local({ agent, toolTimeOut: 2 });
// @ts-expect-error: there is no such option
export const cipher = (): Promise<unknown> => Local({ agent, chiper: undefined });
// @ts-expect-error: there is no such option
export const createOption = (): Promise<unknown> => Local.create({ agent, maxBudgt: 2 });
// @ts-expect-error: create makes a new conversation already
export const createIntent = (): Promise<unknown> => Local.create({ agent, create: 'never' });
// @ts-expect-error: resume is given the id already
export const resumeId = (): Promise<unknown> => Local.resume('id', { id: 'other' });
// @ts-expect-error: resume needs an id
export const resumeNothing = (): Promise<unknown> => Local.resume();
// @ts-expect-error: there is no such option
export const runtimeOption = (): unknown => local({ storeAt: () => new MemoryStore(), secret: undefined });
