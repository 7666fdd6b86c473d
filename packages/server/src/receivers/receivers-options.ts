import { checkOptionNames, type OptionNames } from '@conv/core';
import type { BackoffOptions } from '@conv/core/platform';
import { checkedHosts } from '@conv/egress';
import { checkRegistry, type Registry } from '@conv/store-kit/registry';

/** Options of the receivers that clients of protocols name, such as push notifications of A2A. */
export interface ReceiversOptions {
  /** Holds the receivers, encrypted, and how far each was told. All servers on a store share it. */
  readonly registry: Registry;
  /** Hosts that receivers may have although they are not public; see `guardedFetch` of `@conv/egress`. Default: none. */
  readonly hosts?: readonly string[];
  /** Milliseconds between looks for receivers, and for conversations that no server has told of. Default 10000. */
  readonly scanInterval?: number;
  /** Milliseconds in which a receiver must answer. Default 10000. */
  readonly timeout?: number;
  /** Waits after a failure, until the receiver is removed after a day. Default: 1 s at first, 10 min at most. */
  readonly backoff?: BackoffOptions;
}

const NAMES: OptionNames<ReceiversOptions> = {
  registry: true,
  hosts: true,
  scanInterval: true,
  timeout: true,
  backoff: true,
};

/** Checks the options of receivers. Throws a `TypeError` that names the member. */
export function checkReceivers(place: string, options: ReceiversOptions): void {
  checkOptionNames(place, options, NAMES);
  checkRegistry(place, options.registry);
  checkedHosts(`${place}: hosts`, options.hosts);
}
