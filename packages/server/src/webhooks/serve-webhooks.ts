import type { ConversationInfos } from '../conversations/conversation-infos.ts';
import type { ConversationHost } from '../hosting/conversation-host.ts';
import type { ChangedConversations } from './changed-conversations.ts';
import { cloudEvents } from './cloud-events.ts';
import { ConversationDelivery } from './conversation-delivery.ts';
import { LogSteps } from './log-steps.ts';
import { openHandsBatches } from './openhands-batches.ts';
import { postMessage } from './post-message.ts';
import { signingKey } from './signature.ts';
import { WebhookPositions } from './webhook-positions.ts';
import { WebhookSender } from './webhook-sender.ts';
import { Webhooks, type Webhook } from './webhooks.ts';
import type { WebhookOptions, WebhooksOptions } from './webhooks-options.ts';

const TIMEOUT = 15_000;
const BUFFER_SIZE = 5;
const FLUSH_DELAY = 30_000;
const SCAN_INTERVAL = 10_000;
/** Longest time after which a conversation is tried again that another server tells. */
const HELD_FOR = 5000;

export interface ServeWebhooksDeps {
  readonly host: ConversationHost;
  readonly changed: ChangedConversations;
  readonly infos: ConversationInfos;
}

/** Starts the webhooks of a server. The caller closes them. Throws `TypeError` for a wrong host of the list. */
export async function serveWebhooks(
  { registry, endpoints, hosts = [], scanInterval = SCAN_INTERVAL, observer }: WebhooksOptions,
  { host, changed, infos }: ServeWebhooksDeps,
): Promise<Webhooks> {
  const { platform } = host;
  // imported here, because most servers send nothing
  const { guardedFetch } = await import('@conv/egress');
  const fetch = guardedFetch({ hosts });
  const holder = platform.id();

  const setUp = async (options: WebhookOptions): Promise<Webhook> => {
    const { name, url, format, secrets = [], headers = {}, timeout = TIMEOUT } = options;
    const { bufferSize = BUFFER_SIZE, flushDelay = FLUSH_DELAY, backoff } = options;
    const positions = new WebhookPositions({ registry, platform, webhook: name, holder, lease: 2 * timeout });
    const since = await positions.setUpAt();
    const steps = new LogSteps({
      format: format === 'openhands' ? openHandsBatches(url, { infos, bufferSize }) : cloudEvents(url),
      since,
      read: (id) => host.readAside(id),
    });
    const keys = secrets.flatMap((secret) => signingKey(secret) ?? []);
    const sender: WebhookSender = new WebhookSender({
      platform,
      backoff,
      flushDelay,
      heldFor: Math.min(HELD_FOR, timeout),
      deliver: (id, { flush, signal }) =>
        new ConversationDelivery({
          positions,
          next: (...given) => steps.next(...given),
          post: (message) => postMessage(message, { platform, fetch, headers, keys, timeout }, signal),
          delivered: (conversationId, events) => {
            sender.took(conversationId);
            observer?.delivered?.(name, { conversationId, events });
          },
        }).deliver(id, { flush, signal }),
      failed: (error, conversationId, since) => {
        if (since !== undefined) observer?.failed?.(name, { conversationId, since });
        host.report(error, { conversationId, doing: `telling the webhook ${name}` });
      },
    });
    return { sender, since, conversations: () => positions.conversations() };
  };

  const webhooks = new Webhooks({
    platform,
    store: host.options.store,
    scanInterval,
    setUp: () => Promise.all(endpoints.map(setUp)),
    closeConnections: () => fetch.close(),
    report: (error, doing) => host.report(error, { doing }),
  });
  changed.listen((id) => webhooks.changed(id));
  webhooks.start();
  return webhooks;
}
