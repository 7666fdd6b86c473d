import { checkOptionNames, checks, type OptionNames } from '@conv/core';
import type { BackoffOptions } from '@conv/core/platform';
import { checkedHosts } from '@conv/egress';
import { checkRegistry } from '@conv/store-kit/registry';

import { signingKey } from './signature.ts';
import type { WebhookOptions, WebhooksOptions } from './webhooks-options.ts';

/** Largest time of an option in milliseconds: timers hold 24 days at most. */
const LONGEST = 2_000_000_000;

const WEBHOOKS: OptionNames<WebhooksOptions> = {
  registry: true,
  endpoints: true,
  hosts: true,
  scanInterval: true,
  observer: true,
};

const WEBHOOK: OptionNames<WebhookOptions> = {
  name: true,
  url: true,
  format: true,
  secrets: true,
  headers: true,
  timeout: true,
  backoff: true,
  bufferSize: true,
  flushDelay: true,
};

const BACKOFF: OptionNames<BackoffOptions> = { first: true, most: true };

/** Headers that the server sets, or that belong to the connection. */
const OWN_HEADERS =
  /^(?:webhook-.*|content-(?:type|length|encoding)|host|connection|transfer-encoding|keep-alive|upgrade|expect|te|trailer)$/i;

/** Checks the webhooks of a server. Throws a `TypeError` that names the member, and repeats no URL and no secret. */
export function checkWebhooks(place: string, webhooks: WebhooksOptions): void {
  checkOptionNames(place, webhooks, WEBHOOKS);
  checkRegistry(place, webhooks.registry);
  const { endpoints, hosts, scanInterval } = webhooks;
  checkWebhookEndpoints(`${place}: endpoints`, endpoints);
  checkedHosts(`${place}: hosts`, hosts);
  checkTime(`${place}: scanInterval`, scanInterval);
}

/**
 * Checks receivers of webhooks before there is a server, as `agentServer` checks them. Throws a `TypeError` that begins with `place`, names the member, and
 * repeats no URL and no secret.
 */
export function checkWebhookEndpoints(place: string, endpoints: readonly WebhookOptions[]): void {
  if (!Array.isArray(endpoints)) throw wrong(place, 'a list of receivers', endpoints);
  const names = new Set<unknown>();
  for (const [index, endpoint] of (endpoints as readonly WebhookOptions[]).entries()) {
    checkWebhook(`${place}: ${index}`, endpoint);
    if (names.has(endpoint.name))
      throw new TypeError(`${place}: expected different names, found two times ${endpoint.name}; rename one`);
    names.add(endpoint.name);
  }
}

function checkWebhook(place: string, webhook: WebhookOptions): void {
  checkOptionNames(place, webhook, WEBHOOK);
  const { name, url, format, secrets, headers, timeout, backoff, bufferSize, flushDelay } = webhook;
  if (typeof name !== 'string' || !/^[\w.-]{1,40}$/.test(name))
    throw wrong(`${place}: name`, '1 to 40 letters, digits, dots, hyphens and underscores', name);
  if (!isReceiverUrl(url)) throw wrong(`${place}: url`, 'an http or https URL without user and fragment', url);
  if (![undefined, 'cloudevents', 'openhands'].includes(format))
    throw wrong(`${place}: format`, 'cloudevents or openhands', format);
  // paths are set behind the base URL, and would get into its query
  if (format === 'openhands' && url.includes('?'))
    throw wrong(`${place}: url`, 'a base URL without query in the format openhands', url);
  if (secrets !== undefined && !(isTexts(secrets) && secrets.every((secret) => signingKey(secret) !== undefined)))
    throw wrong(`${place}: secrets`, 'a list of keys: whsec_ and 24 to 64 bytes in base64', secrets);
  if (headers !== undefined) checkHeaders(`${place}: headers`, headers);
  checkTime(`${place}: timeout`, timeout);
  if (backoff !== undefined) {
    checkOptionNames(`${place}: backoff`, backoff, BACKOFF);
    checkTime(`${place}: backoff: first`, backoff.first);
    checkTime(`${place}: backoff: most`, backoff.most);
  }
  if (bufferSize !== undefined && !(Number.isInteger(bufferSize) && bufferSize >= 1))
    throw wrong(`${place}: bufferSize`, 'a whole number from 1', bufferSize);
  checkTime(`${place}: flushDelay`, flushDelay);
  if (format !== 'openhands' && (bufferSize !== undefined || flushDelay !== undefined))
    throw new TypeError(
      `${place}: bufferSize and flushDelay belong to the format openhands; expected it, found cloudevents`,
    );
}

function checkHeaders(place: string, headers: Readonly<Record<string, string>>): void {
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers))
    throw wrong(place, 'an object of names and texts', headers);
  for (const [name, value] of Object.entries(headers)) {
    if (OWN_HEADERS.test(name))
      throw new TypeError(`${place}: expected other headers than those of the server, found ${name}; leave it out`);
    try {
      new Headers({ [name]: value });
    } catch {
      throw wrong(`${place}: ${name}`, 'a header with a text', value);
    }
    if (typeof value !== 'string') throw wrong(`${place}: ${name}`, 'a text', value);
  }
}

/** A user would be sent in no request, and neither would a fragment. A query is sent, and may hold a key. */
function isReceiverUrl(url: unknown): boolean {
  if (typeof url !== 'string' || !URL.canParse(url)) return false;
  const { protocol, username, password, hash } = new URL(url);
  return /^https?:$/.test(protocol) && `${username}${password}${hash}` === '';
}

function checkTime(place: string, time: unknown): void {
  if (time !== undefined && !(typeof time === 'number' && time > 0 && time <= LONGEST))
    throw wrong(place, `milliseconds above 0, at most ${LONGEST}`, time);
}

function isTexts(given: unknown): given is readonly string[] {
  return Array.isArray(given) && given.every((each) => typeof each === 'string');
}

function wrong(place: string, expected: string, found: unknown): TypeError {
  return new TypeError(checks.wrongValue(place, expected, found));
}
