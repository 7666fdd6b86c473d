import type { ConversationInfo } from '@conv/protocol';

import type { ConversationHost } from '../conversation-host.ts';
import type { HostedConversation } from '../hosted-conversation.ts';
import type { Reading } from '../stored-conversation.ts';
import { toConversationInfo } from './conversation-info.ts';
import { KnownChildren } from './known-children.ts';

/** How many conversations are read at the same time for a list. */
const AT_ONCE = 8;

/** What clients are told of the conversations of a host. */
export class ConversationInfos {
  readonly #host: ConversationHost;
  readonly children: KnownChildren;

  constructor(host: ConversationHost) {
    this.#host = host;
    this.children = new KnownChildren(host.options.store);
  }

  /** Of a conversation that is loaded, as it is at this moment. */
  ofLoaded({ id, fields, conversation }: HostedConversation, includeSkills: boolean): Promise<ConversationInfo> {
    const { state, settings } = conversation;
    return this.of({ id, fields, state, missingSecrets: settings.missingSecrets }, includeSkills);
  }

  /** Of a conversation that is read. */
  async of(
    { id, fields, state, missingSecrets }: Omit<Reading, keyof AsyncDisposable>,
    includeSkills: boolean,
    updatedAt?: string,
  ): Promise<ConversationInfo> {
    const [children, last] = await Promise.all([this.children.of(id), updatedAt ?? state.events.at(-1)]);
    return toConversationInfo(fields, {
      updatedAt: typeof last === 'string' ? last : (last?.timestamp ?? fields.createdAt),
      children,
      persistenceDir: this.#host.options.persistenceDir,
      // what a source failed with may say more than its maker knows
      missingSecrets: state.mask.json(missingSecrets),
      missingTools: this.#host.options.agents.missingTools?.(fields.agent) ?? [],
      includeSkills,
    });
  }

  /** Of conversations in the order of their ids; null where there is none. */
  async ofEach(ids: readonly string[], includeSkills: boolean): Promise<readonly (ConversationInfo | null)[]> {
    const infos: (ConversationInfo | null)[] = Array.from({ length: ids.length }, () => null);
    const numbered = ids.entries();
    const work = async (): Promise<void> => {
      for (const [at, id] of numbered) infos[at] = await this.#ofId(id, includeSkills);
    };
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, ids.length) }, work));
    return infos;
  }

  async #ofId(id: string, includeSkills: boolean): Promise<ConversationInfo | null> {
    await using reading = await this.#host.read(id);
    return reading ? await this.of(reading, includeSkills) : null;
  }
}
