import { join } from 'node:path';

import type { ExecutorRuntime, RuntimesOptions } from '@conv/server';
import type { Logger } from 'pino';

import type { Configuration, RuntimeName } from '../configuration/effective-configuration.ts';
import { confiningOf } from '../start/confining.ts';

type GivenFoldersOf = NonNullable<Parameters<typeof confiningOf>[2]>;

/**
 * Resolves with the places in which tools of conversations may act. Rejects `Error` for the runtime `sandbox` on a machine that confines no
 * programs.
 */
export async function runtimesOf(
  configuration: Configuration,
  log: Logger,
  givenFoldersOf: GivenFoldersOf,
): Promise<RuntimesOptions> {
  const { runtimes: names } = configuration;
  const makers: Readonly<Record<RuntimeName, () => Promise<ExecutorRuntime | true>>> = {
    local: async () => true,
    sandbox: () => confined(configuration, log, givenFoldersOf),
    docker: () => contained(configuration),
  };
  const offered = await Promise.all(names.map(async (name) => [name, await makers[name]()] as const));
  return { default: names[0] ?? 'local', offered: Object.fromEntries(offered) };
}

async function confined(
  configuration: Configuration,
  log: Logger,
  givenFoldersOf: GivenFoldersOf,
): Promise<ExecutorRuntime> {
  // a sandbox of its own: the homes of executors are not those of hooks and of clients' commands
  const { sandbox, unconfined = '' } = await confiningOf(configuration, log, givenFoldersOf);
  if (!sandbox)
    throw new Error(
      `runtimes: expected a machine that confines programs for the runtime sandbox, found none. ${unconfined}`,
    );
  const { confinedRuntime } = await import('./confined-runtime.ts');
  return confinedRuntime({
    sandbox,
    heard: (conversationId, text) => log.warn({ conversationId, text: text.trim() }, 'an executor wrote'),
  });
}

async function contained({
  containerImage: image = '',
  containerRuntime: runtime,
  containerLimits: limits,
  settingsFolder,
}: Configuration): Promise<ExecutorRuntime> {
  const { containerRuntime } = await import('./container-runtime.ts');
  const keyFile = join(settingsFolder, 'container.key');
  return containerRuntime({ image, limits, keyFile, ...(runtime === undefined ? {} : { runtime }) });
}
