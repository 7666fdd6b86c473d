import { createConversationFactory, type Conversation } from '@conv/core';
import { MemoryStore } from '@conv/core/store';
import { local, type LocalConversation } from '@conv/local';
import { remote, type RemoteConversation, RemoteWorkspace } from '@conv/remote';

const Here = createConversationFactory({ runtimes: [local({ storeAt: () => new MemoryStore() })] });
const There = createConversationFactory({ runtimes: [remote()] });
const Anywhere = createConversationFactory({ runtimes: [local({ storeAt: () => new MemoryStore() }), remote()] });

/** Types of factories; compiled by the type check, never run. */
export async function factories(id: string): Promise<void> {
  (await Here({ confirmationPolicy: { kind: 'AlwaysConfirm' } })) satisfies LocalConversation;
  (await Here.resume(id)).resumed satisfies boolean;
  await (await Here.create({})).close({ runs: 'leave' });
  (await There.resume(id, { workspace: new RemoteWorkspace({ host: 'x' }) })) satisfies RemoteConversation;
  (await Anywhere({ workspace: 'folder' })) satisfies Conversation;
  // @ts-expect-error a conversation of either runtime may be remote
  (await Anywhere({ workspace: 'folder' })) satisfies LocalConversation;
  // @ts-expect-error there is no such policy
  await Here({ confirmationPolicy: { kind: 'AllwaysConfirm' } });
  // @ts-expect-error there is no such analyzer
  await Here({ securityAnalyzer: { kind: 'PaternSecurityAnalyzer' } });
  // @ts-expect-error there is no such option
  await Here({ confirmationPolcy: { kind: 'AlwaysConfirm' } });
}
