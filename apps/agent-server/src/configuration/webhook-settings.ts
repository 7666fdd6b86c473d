import { createHash } from 'node:crypto';

import type { WebhookOptions } from '@conv/server';
import { z } from 'zod';

const text = z.string().min(1);
const seconds = z.number().positive().max(2_000_000);
const whole = z.int().nonnegative();

const MUST_BE =
  'must be an object such as {"name":"billing","url":"https://example.com/hook","secrets":["whsec_…"]}, or one of OpenHands\' server with base_url';

/** A receiver of this server. */
const ours = z.strictObject({
  name: text,
  url: text,
  format: z.exactOptional(z.enum(['cloudevents', 'openhands'], 'must be cloudevents or openhands')),
  secrets: z.exactOptional(z.array(text)),
  headers: z.exactOptional(z.record(z.string(), z.string())),
  timeoutSeconds: z.exactOptional(seconds),
});

/** A receiver as OpenHands' server describes it. */
const openHands = z.strictObject({
  base_url: text,
  headers: z.record(z.string(), z.string()).default({}),
  event_buffer_size: z.int().positive().default(5),
  flush_delay: seconds.default(30),
  // nothing is given up, so only the first wait has an effect
  num_retries: whole.default(3),
  retry_delay: z.number().nonnegative().max(2_000_000).default(5),
});

/** The setting `webhooks`: receivers in either form. Messages repeat no value, because URLs and headers may hold keys. */
export const webhookSettings: z.ZodType<readonly WebhookOptions[]> = z.array(
  z.record(z.string(), z.unknown(), MUST_BE).transform((given, context): WebhookOptions => {
    const read = 'base_url' in given ? openHands.safeParse(given) : ours.safeParse(given);
    if (read.success) return 'base_url' in read.data ? fromOpenHands(read.data) : fromOurs(read.data);
    for (const { path, message } of read.error.issues)
      context.issues.push({ code: 'custom', path, message, input: '' });
    return z.NEVER;
  }),
  'must be a list of objects with name and url',
);

function fromOurs({ timeoutSeconds, ...given }: z.infer<typeof ours>): WebhookOptions {
  return { ...given, ...(timeoutSeconds === undefined ? {} : { timeout: timeoutSeconds * 1000 }) };
}

function fromOpenHands(given: z.infer<typeof openHands>): WebhookOptions {
  const { base_url: url, headers, event_buffer_size: bufferSize, flush_delay: flush, retry_delay: retry } = given;
  const name = `openhands-${createHash('sha256').update(url).digest('hex').slice(0, 12)}`;
  const backoff = retry === 0 ? {} : { backoff: { first: retry * 1000 } };
  return { name, url, format: 'openhands', headers, bufferSize, flushDelay: flush * 1000, ...backoff };
}

/** Members of a receiver in OpenHands' form, whose variables have a number and their name behind them. */
const MEMBERS = Object.keys(openHands.shape);

/**
 * Returns the receivers that variables describe as OpenHands' server reads them: `NAME_0_BASE_URL`, `NAME_0_HEADERS` (JSON) and so on. `undefined`
 * if there is none.
 */
export function numberedWebhooks(
  environment: Readonly<Record<string, string | undefined>>,
  name: string,
): readonly object[] | undefined {
  const found: Record<string, unknown>[] = [];
  for (let index = 0; ; index++) {
    const members = MEMBERS.flatMap((member) => {
      const value = environment[`${name}_${index}_${member.toUpperCase()}`];
      return value === undefined || value.trim() === ''
        ? []
        : [[member, member === 'base_url' ? value : parsed(value)]];
    });
    if (members.length === 0) break;
    found.push(Object.fromEntries(members) as Record<string, unknown>);
  }
  return found.length === 0 ? undefined : found;
}

function parsed(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** Names of headers that hold credentials. */
const CREDENTIAL_HEADER = /auth|cookie|credential|key|pass|secret|session|signature|token/i;

/** Shortest text that is hidden. A shorter one occurs in ordinary text, which hiding it would spoil. */
const SHORTEST = 8;

/**
 * Returns the texts of webhooks that no log and no conversation may show: keys, and credentials in headers, with their scheme and without it. Other
 * headers hold ordinary words, such as `application/json`.
 */
export function secretsOf(webhooks: readonly WebhookOptions[]): readonly string[] {
  const texts = webhooks.flatMap(({ secrets = [], headers = {} }) => [
    ...secrets,
    ...Object.entries(headers).flatMap(([name, value]) => (CREDENTIAL_HEADER.test(name) ? credentialsIn(value) : [])),
  ]);
  return texts.filter((text) => text.length >= SHORTEST);
}

/** Returns the value of a header, and what stands behind a scheme such as `Bearer`. */
function credentialsIn(header: string): readonly string[] {
  const value = header.trim();
  const [, behind = ''] = /^[\w-]+ +(\S.*)$/.exec(value) ?? [];
  return [value, behind];
}
