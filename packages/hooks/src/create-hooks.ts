import { checkHooksOptions } from './check-hooks-options.ts';
import type { HookRunner, Hooks, HookSession, StoredHooks } from '@conv/core';
import { systemPlatform } from '@conv/core/platform';
import { CommandConfinement } from './command-confinement.ts';
import type { HooksConfig, HooksOptions } from './hooks-config.ts';
import { HooksError } from './hooks-error.ts';
import { type ReadConfig, readConfig } from './read-config.ts';
import { Runner } from './runner.ts';

/**
 * Makes hooks from a configuration, for any number of conversations.
 *
 * The hooks of an event run in the order of the configuration. The first hook that denies stops the action, and the hooks
 * after it do not run. Exit code 2 of a command always denies. Configurations in the form of files are accepted too; for
 * kinds that ask a model and do not run here there is a process warning.
 *
 * @throws HooksError `INVALID_CONFIG` naming the member: an unknown event or member, an event under two names, an invalid
 * expression, a missing function.
 * @example
 * ```ts
 * import { createHooks } from '@conv/hooks';
 *
 * export const hooks = createHooks({
 *   preToolUse: [
 *     { matcher: 'terminal', hooks: [{ command: '/etc/conv/check-command.sh', timeout: 10 }] },
 *     {
 *       matcher: '/mcp_.+/',
 *       hooks: [{ type: 'function', name: 'no-mcp', run: () => ({ decision: 'deny', reason: 'Not here.' }) }],
 *     },
 *   ],
 * });
 * ```
 */
export function createHooks(config: HooksConfig, options: HooksOptions = {}): Hooks {
  checkHooksOptions('createHooks', options);
  return givenHooks(config, options);
}

/**
 * Makes the factory that restores the hooks of a stored conversation. It returns `undefined` when the configuration names
 * functions that are not among `options.functions`, keeps members that it does not know, and throws `INVALID_CONFIG` for an
 * invalid configuration.
 *
 * @example
 * ```ts
 * import { reviveHooks } from '@conv/hooks';
 *
 * export const hooksFactory = reviveHooks({ functions: { 'no-mcp': () => ({ decision: 'deny' }) } });
 * ```
 */
export function reviveHooks(options: HooksOptions = {}): (config: StoredHooks) => Hooks | undefined {
  checkHooksOptions('reviveHooks', options);
  return (config) => {
    const read = readConfig(config, { ...options, strict: false });
    return read.missing.length > 0 ? undefined : hooksOf(read, options);
  };
}

/** Hooks whose functions all have to be there. @throws HooksError `INVALID_CONFIG` */
export function givenHooks(config: unknown, options: HooksOptions): Hooks {
  const read = readConfig(config, { ...options, strict: true });
  const [name] = read.missing;
  if (name !== undefined)
    throw new HooksError('INVALID_CONFIG', `the function '${name}' is not given; give it in functions`);
  warnOfUnsupported(read);
  return hooksOf(read, options);
}

/** Warns of hooks that cannot run here, because their author relies on their protection. */
function warnOfUnsupported({ groups }: ReadConfig): void {
  const works = [...groups.values()].flat().flatMap(({ hooks }) => hooks.map(({ work }) => work));
  const types = new Set(works.flatMap((work) => (work.kind === 'unsupported' ? [work.type] : [])));
  for (const type of types)
    process.emitWarning(`hooks of type '${type}' do not run here: each counts as failed`, 'HookWarning');
}

function hooksOf(
  { config, groups }: ReadConfig,
  { environment = [], sandbox, platform = systemPlatform }: HooksOptions,
): Hooks {
  const names = [...environment];
  const start = (session: HookSession): HookRunner => {
    const confinement = sandbox && new CommandConfinement(sandbox, session);
    return new Runner(groups, { platform, session, environment: names, confinement });
  };
  return { config, start };
}
