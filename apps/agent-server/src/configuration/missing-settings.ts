import type { Configuration } from './effective-configuration.ts';
import { isStrongKey, WEAK_KEY } from './strong-key.ts';

/** A setting that needs other settings. */
export interface Missing {
  readonly setting: keyof Configuration;
  /** The missing setting, and how to set it. */
  readonly text: string;
}

/** Returns the first setting that has no effect or is not safe without another one; `undefined` if there is none. */
export function missingIn(configuration: Configuration): Missing | undefined {
  const { host, sessionKeys, sessionKeyDigests, approverKeys, oidc } = configuration;
  const { secretKey, serverUrl, serverPeers, sandbox, sandboxLimits, sandboxRead, sandboxHosts, sandboxOutside } =
    configuration;
  if (sandbox === 'off' && Object.keys(sandboxLimits).length > 0)
    return {
      setting: 'sandboxLimits',
      text: 'it has no effect without a sandbox. Set CONV_SANDBOX to auto or on, or leave the limits out',
    };
  if (sandbox === 'off' && sandboxRead.length > 0)
    return {
      setting: 'sandboxRead',
      text: 'it has no effect without a sandbox. Set CONV_SANDBOX to auto or on, or leave the paths out',
    };
  if (sandboxHosts.length > 0 && (sandbox === 'off' || sandbox === 'closed'))
    return {
      setting: 'sandboxHosts',
      text: `it has no effect with the sandbox ${sandbox}. Set CONV_SANDBOX to auto or on, or leave the hosts out`,
    };
  if (sandbox === 'off' && sandboxOutside === 'ask')
    return {
      setting: 'sandboxOutside',
      text: 'without a sandbox no command is outside of it. Set CONV_SANDBOX to auto or on, or leave it out',
    };
  const { webhookHosts, webhooks, protocols } = configuration;
  if (webhookHosts.length > 0 && webhooks.length === 0 && !protocols.includes('a2a'))
    return {
      setting: 'webhookHosts',
      text: 'it has no effect without webhooks and push notifications. Set CONV_WEBHOOKS, name a2a in CONV_PROTOCOLS, or leave the hosts out',
    };
  const withoutPlace = placeMissingIn(configuration);
  if (withoutPlace) return withoutPlace;
  // keys of clients come with the request
  if (configuration.deferredInit) return initMissingIn(configuration);
  const hasKey = sessionKeys.length + sessionKeyDigests.length + approverKeys.length > 0;
  if (!hasKey && oidc === undefined && !isLoopback(host))
    return {
      setting: 'host',
      text: `other machines can reach ${host}, but no key is set. ${SET_KEY}, or use the host 127.0.0.1`,
    };
  if (approverKeys.some((key) => sessionKeys.includes(key)))
    return { setting: 'approverKeys', text: 'an approver key must differ from every session key' };
  if (serverUrl === undefined)
    return serverPeers.length === 0
      ? undefined
      : {
          setting: 'serverPeers',
          text: 'it has no effect alone. Set CONV_SERVER_URL to the URL by which these servers reach this one',
        };
  if (!hasKey) return { setting: 'serverUrl', text: `the servers of a fleet need a shared session key. ${SET_KEY}` };
  if (secretKey === undefined)
    return {
      setting: 'serverUrl',
      text: 'the servers of a fleet need a shared secret key. Set OH_SECRET_KEY_FILE or OH_SECRET_KEY',
    };
  // the key with which servers vouch for callers is derived from it
  if (!isStrongKey(secretKey))
    return { setting: 'secretKey', text: `the servers of a fleet trust each other by this key: ${WEAK_KEY}` };
  if (serverPeers.length === 0)
    return {
      setting: 'serverUrl',
      text: 'no other server may be asked. Set CONV_SERVER_PEERS to their URLs, such as http://10.0.0.*:8000',
    };
  return undefined;
}

/** Returns the setting without which a server must not wait for its configuration. */
function initMissingIn({ secretKey, executor }: Configuration): Missing | undefined {
  if (executor)
    return { setting: 'deferredInit', text: 'an executor has no conversations to configure. Leave one of both out' };
  if (secretKey === undefined)
    return {
      setting: 'deferredInit',
      text: 'the sender of the configuration shows the secret key, and none is set. Set OH_SECRET_KEY_FILE or OH_SECRET_KEY',
    };
  return isStrongKey(secretKey) ? undefined : { setting: 'secretKey', text: `it opens POST /api/init: ${WEAK_KEY}` };
}

/** Returns the setting without which the tools of conversations have no place to act in. */
function placeMissingIn({ runtimes, sandbox, containerImage }: Configuration): Missing | undefined {
  if (runtimes.includes('sandbox') && sandbox === 'off')
    return { setting: 'runtimes', text: 'sandbox needs a sandbox, which is off. Set CONV_SANDBOX to auto or on' };
  if (runtimes.includes('docker') && containerImage === undefined)
    return {
      setting: 'runtimes',
      text: 'docker needs an image with this program. Set OH_CONVERSATION_IMAGE or --container-image',
    };
  if (containerImage !== undefined && !runtimes.includes('docker'))
    return {
      setting: 'containerImage',
      text: 'it has no effect without the runtime docker. Set CONV_RUNTIMES or --runtimes, or leave the image out',
    };
  return undefined;
}

const SET_KEY = 'Set OH_SESSION_API_KEYS_FILE or OH_SESSION_API_KEYS_0';

/** True for an address that only this machine reaches. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
