import type { Cipher } from '@conv/core';

import type { AccessKeys } from '../auth/access-keys.ts';
import type { KnownConversations } from '../conversations/known-conversations.ts';
import type { ConversationHost } from '../hosting/conversation-host.ts';
import type { Senders } from '../protocols/senders.ts';
import type { ServedProtocol } from '../protocols/served-protocol.ts';
import type { ChangedConversations } from '../webhooks/changed-conversations.ts';
import { Webhooks } from '../webhooks/webhooks.ts';
import { ReceiverRecords } from './receiver-records.ts';
import { Receivers } from './receivers.ts';
import type { ReceiversOptions } from './receivers-options.ts';

const TIMEOUT = 10_000;
const SCAN_INTERVAL = 10_000;

export interface ServeReceiversDeps {
  readonly host: ConversationHost;
  readonly known: KnownConversations;
  readonly keys: AccessKeys;
  readonly senders: Senders;
  readonly changed: ChangedConversations;
  readonly cipher: Cipher;
}

/** The receivers of protocols, and what tells them. */
export interface ServedReceivers {
  readonly receivers: Receivers;
  /** Told by scans, and by loaded conversations. The caller starts and closes it. */
  readonly webhooks: Webhooks;
}

/** Resolves with the receivers of the protocols that have some. Throws `TypeError` for a wrong host of the list. */
export async function serveReceivers(
  { registry, hosts = [], scanInterval = SCAN_INTERVAL, timeout = TIMEOUT, backoff }: ReceiversOptions,
  served: readonly ServedProtocol[],
  { host, known, keys, senders, changed, cipher }: ServeReceiversDeps,
): Promise<ServedReceivers> {
  // imported here, because most servers send nothing
  const { guardedFetch } = await import('@conv/egress');
  const fetch = guardedFetch({ hosts });
  const records = new ReceiverRecords(registry, cipher);
  const protocols = new Map(
    served.flatMap(({ name, nextMessage }) => (nextMessage ? [[name, { nextMessage }] as const] : [])),
  );
  const receivers = new Receivers({
    host,
    known,
    keys,
    protocols,
    registry,
    records,
    senders,
    fetch,
    timeout,
    backoff,
  });
  const webhooks = new Webhooks({
    platform: host.platform,
    store: host.options.store,
    scanInterval,
    setUp: async () => [receivers.asWebhook()],
    closeConnections: () => fetch.close(),
    report: (error, doing) => host.report(error, { doing }),
  });
  changed.listen((id) => webhooks.changed(id));
  return { receivers, webhooks };
}
