import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

import { systemPlatform as platform } from '@conv/core/platform';
import { Hosts } from '@conv/egress';
import { expect, test } from 'vitest';

import { limitsOf } from '../src/limits.ts';
import { Mounts } from '../src/mounts.ts';
import type { Rules } from '../src/rules.ts';
import { loadSeatbelt, seatbeltStart, type Seatbelt } from '../src/seatbelt-start.ts';
import { confineBySeatbelt } from '../src/seatbelt.ts';
import { newFolder } from './open-sandbox.ts';

// No Mac runs these tests. They read the profiles that the real generator makes, by the rules of Seatbelt: the last rule that matches decides.

const seatbelt = await loadSeatbelt();

const own = { home: '/own/home', temporary: '/own/tmp' };

/** Access as of a workspace in a user's home, with a hidden file, a protected one and a folder to read. */
const mounts = new Mounts()
  .add('read', ['/'])
  .set({ kind: 'empty', path: '/Users' })
  .add('read', ['/Users/ann/tools'])
  .add('write', ['/Users/ann/work', '/own/home', '/own/tmp'])
  .set({ kind: 'blank', path: '/Users/ann/work/.env' })
  .add('read', ['/Users/ann/work/.git/config', '/Users/ann/work/.git/hooks']);

interface Wrapped {
  readonly words: readonly string[];
  readonly profile: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Returns the words of the command line that confines `echo`, as a shell reads them. */
function wrapped(network: 'open' | 'closed', env: Readonly<Record<string, string>> = {}): Wrapped {
  const plain = { command: 'echo', args: ["it's", '$HOME'], cwd: '/Users/ann/work', env };
  const start = seatbeltStart(seatbelt, plain, mounts, { network, own });
  expect([start.command, start.args[0], start.cwd]).toEqual(['/bin/sh', '-c', '/Users/ann/work']);
  const words = execFileSync('/bin/sh', ['-c', `for word in ${start.args[1]}; do printf '%s\\0' "$word"; done`], {
    encoding: 'utf8',
  }).split('\0');
  return { words, profile: words[words.indexOf('-p') + 1] ?? '', env: start.env };
}

/** Returns the decision of a profile about a path. */
function decided(profile: string, operation: 'file-read-data' | 'file-write-data', path: string): string | undefined {
  const rules = profile.split(/^\((?=allow|deny)/m).slice(1);
  expect(rules.length).toBeGreaterThan(10);
  const last = rules.findLast((rule) => {
    const [, operations = ''] = /^(?:allow|deny) ([^()"]*)/.exec(rule) ?? [];
    const isOf = operations.split(/\s+/).some((name) => name !== '' && operation.startsWith(name.replace('*', '')));
    if (!isOf || /vnode-type|require-all/.test(rule)) return false;
    const filters = [...rule.matchAll(/\((subpath|literal|regex) #?("(?:[^"\\]|\\.)*")\)/g)];
    return (
      filters.length === 0 ||
      filters.some(([, kind, text = '']) => {
        const value = JSON.parse(text) as string;
        if (kind === 'regex') return new RegExp(value).test(path);
        return path === value || (kind === 'subpath' && path.startsWith(`${value}/`));
      })
    );
  });
  return last?.split(' ')[0];
}

test.each([
  ['/usr/lib/libc.dylib', 'allow', 'deny'],
  ['/Users/ann/.ssh/id', 'deny', 'deny'],
  ['/Users/ann/tools/bin/node', 'allow', 'deny'],
  ['/Users/ann/work/file', 'allow', 'allow'],
  ['/Users/ann/work/.env', 'deny', 'deny'],
  ['/Users/ann/work/.git/objects/x', 'allow', 'allow'],
  ['/Users/ann/work/.git/config', 'allow', 'deny'],
  ['/Users/ann/work/.git/hooks/pre-commit', 'allow', 'deny'],
  ['/own/home/.npmrc', 'allow', 'allow'],
  ['/dev/null', 'allow', 'allow'],
])('a profile decides about %s: read %s, write %s', (path, read, write) => {
  const { profile } = wrapped('closed');
  expect(profile).toMatch(/^\(version 1\)\n\(deny default/);
  expect(decided(profile, 'file-read-data', path)).toBe(read);
  expect(decided(profile, 'file-write-data', path) ?? 'deny').toBe(write);
});

test('a closed network has no rule that allows any of it, and an open one no sockets of services', () => {
  expect(wrapped('closed').profile).not.toMatch(/^\(allow network/m);
  const { profile } = wrapped('open');
  const [, ...after] = profile.split('(allow network*)');
  expect(after).toHaveLength(1);
  expect(after[0]).toMatch(
    /^\n\(deny network-outbound \(remote unix-socket .*\n\(allow network-outbound .*mDNSResponder"\)\)\)/,
  );
});

test('a program gets its words, its home, and variables of confining programs only inside', () => {
  const { words, env } = wrapped('open', { DYLD_INSERT_LIBRARIES: '/evil', BASH_ENV: '/evil', NAME: 'value' });
  expect(words).toContain('/usr/bin/sandbox-exec');
  expect(env).toEqual({ NAME: 'value' });
  const line = words.at(-2) ?? '';
  const inside = execFileSync(
    '/bin/sh',
    ['-c', line.replace("'echo'", "'sh' '-c' 'env; printf %s\\\\n \"$0\" \"$1\"'")],
    {
      encoding: 'utf8',
      env: { ...env },
    },
  );
  expect(inside).toContain('HOME=/own/home\n');
  expect(inside).toContain('TMPDIR=/own/tmp\n');
  expect(inside).toContain('DYLD_INSERT_LIBRARIES=/evil\n');
  expect(inside).toMatch(/it's\n\$HOME\n$/);
});

/** Rules with the defaults of the sandbox, in a directory of their own. */
function rulesWith(more: Partial<Rules> = {}): Rules {
  const directory = join(newFolder(), 'sandboxes');
  const paths = { read: [], write: [], hide: [], protect: ['.git/hooks/', '.git/config'] };
  return { ...paths, network: 'open', caches: true, gitIdentity: false, limits: limitsOf(), directory, ...more };
}

test('a machine without Seatbelt, or a list of hosts, is refused, and nothing is left behind', async () => {
  const rules = rulesWith();
  const session = { conversationId: 'one', workingDirectory: newFolder() };
  const opened = confineBySeatbelt(session, rules, { platform });
  await expect(opened).rejects.toThrow(/cannot be built on this machine: .*sandbox-exec/);
  expect(spawnSync('find', [rules.directory, '-name', 'home']).stdout.toString()).toBe('');
  const hosts = confineBySeatbelt(session, rulesWith({ network: new Hosts(['example.org']) }), { platform });
  await expect(hosts).rejects.toThrow('list of hosts on Linux only');
  const missing = confineBySeatbelt(session, rules, {
    platform,
    load: () => Promise.reject(new Error('not installed')),
  });
  await expect(missing).rejects.toThrow('not installed');
});

test("a profile with two rules for the network, such as one in a folder's name, starts nothing", async () => {
  const load = (): Promise<Seatbelt> =>
    Promise.resolve({ wrapCommandWithSandboxMacOS: () => ": '(allow network*)' '/x/(allow network*)'" });
  const session = { conversationId: 'one', workingDirectory: newFolder() };
  await expect(confineBySeatbelt(session, rulesWith(), { platform, load })).rejects.toThrow('found it 2 times');
});

test('tools keep to what programs reach, and the rules say it to the model', async () => {
  const workspace = newFolder();
  mkdirSync(join(workspace, '.git/hooks'), { recursive: true });
  writeFileSync(join(workspace, '.git/config'), '');
  const rules = rulesWith();
  // a generator whose command lines confine nothing, because this machine has no Seatbelt
  const load = (): Promise<Seatbelt> =>
    Promise.resolve({ wrapCommandWithSandboxMacOS: ({ command }) => `: '(allow network*)'; ${command}` });
  const confinement = await confineBySeatbelt({ conversationId: 'one', workingDirectory: workspace }, rules, {
    platform,
    load,
  });
  expect(confinement.place(join(workspace, 'file'), 'write')).toBe(join(workspace, 'file'));
  expect(() => confinement.place(join(workspace, '.git/config'), 'write')).toThrow('read-only');
  expect(() => confinement.place(join(homedir(), '.ssh/id'), 'read')).toThrow('hidden or protected');
  expect(() => confinement.place('/usr/x', 'write')).toThrow('read-only');
  expect(confinement.rules).toContain('the folders that HOME and TMPDIR name');
  expect(confinement.refusedIn?.('sh: /usr/x: Permission denied', '/')).toBeUndefined();
  const { command, args, cwd, env } = confinement.confine({
    command: 'sh',
    args: ['-c', 'echo in >"$HOME/.npm/cached"; pwd; echo "$HOME"; touch "$TMPDIR/x"'],
    cwd: '/not-there',
    env: { ...process.env, SSH_AUTH_SOCK: '/agent' },
  });
  expect(env).not.toHaveProperty('SSH_AUTH_SOCK');
  const { stdout } = spawnSync(command, args, { cwd, env: { ...env }, encoding: 'utf8' });
  const [at, home = ''] = stdout.trim().split('\n');
  expect(at).toBe(workspace);
  expect(readFileSync(join(home, '.npm/cached'), 'utf8')).toBe('in\n');
  await confinement.close();
  expect(existsSync(home)).toBe(false);
});
