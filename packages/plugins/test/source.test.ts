import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

import { expect, test } from 'vitest';

import { isPluginError, parseSource, type Source, withoutCredentials } from '../src/index.ts';

test.each<[Source, object]>([
  [{ source: '/srv/skill' }, { kind: 'folder', directory: '/srv/skill' }],
  [{ source: '~/skill' }, { kind: 'folder', directory: join(homedir(), 'skill') }],
  [{ source: './skill' }, { kind: 'folder', directory: resolve('skill') }],
  [{ source: 'plugins/one' }, { kind: 'folder', directory: resolve('plugins/one') }],
  [
    { source: 'file:///srv/tools', ref: 'v1' },
    { kind: 'git', url: 'file:///srv/tools', ref: 'v1', path: '' },
  ],
  [{ source: 'github:some/tools' }, { kind: 'git', url: 'https://github.com/some/tools.git', ref: null, path: '' }],
  [
    { source: 'github:some/tools@v1/plugins/one' },
    { kind: 'git', url: 'https://github.com/some/tools.git', ref: 'v1', path: 'plugins/one' },
  ],
  [
    { source: 'https://github.com/some/tools/tree/main/skills/one' },
    { kind: 'git', url: 'https://github.com/some/tools.git', ref: 'main', path: 'skills/one' },
  ],
  [
    { source: 'https://git.example.org/tools.git', path: '/skills/one/' },
    { kind: 'git', url: 'https://git.example.org/tools.git', ref: null, path: 'skills/one' },
  ],
  [
    { source: 'https://git.example.org/tools.git', path: './' },
    { kind: 'git', url: 'https://git.example.org/tools.git', ref: null, path: '' },
  ],
  [
    { source: 'https://git.example.org/tools.git@v1/skills/one' },
    { kind: 'git', url: 'https://git.example.org/tools.git', ref: 'v1', path: 'skills/one' },
  ],
  [
    { source: 'https://git.example.org/tools.git/skills/one', ref: 'v2' },
    { kind: 'git', url: 'https://git.example.org/tools.git', ref: 'v2', path: 'skills/one' },
  ],
  [
    { source: 'https://git.example.org/tools#v1:skills/one' },
    { kind: 'git', url: 'https://git.example.org/tools', ref: 'v1', path: 'skills/one' },
  ],
  [
    { source: 'file:///srv/tools#:skills/one' },
    { kind: 'git', url: 'file:///srv/tools', ref: null, path: 'skills/one' },
  ],
  [
    { source: 'https://me.git@git.example.org/tools' },
    { kind: 'git', url: 'https://me.git@git.example.org/tools', ref: null, path: '' },
  ],
])('the source %j is read as %j', (source, expected) => {
  expect(parseSource(source)).toEqual(expected);
});

test.each<Source>([
  { source: '' },
  { source: 'word' },
  { source: 'github:only' },
  { source: 'git@github.com:some/tools.git' },
  { source: 'ssh://git@example.org/tools' },
  { source: 'git://example.org/tools' },
  { source: 'ext::sh -c touch% /tmp/x' },
  { source: 'ftp://example.org/tools' },
  { source: '/srv/skill', path: 'inside' },
  { source: 'https://example.org/tools', ref: '--upload-pack=touch /tmp/x' },
  { source: 'https://example.org./tools' },
  { source: 'https://example.org/tools', ref: 'a..b' },
  { source: 'https://example.org/tools', path: '../outside' },
  { source: 'https://example.org/tools', path: 'a/../../outside' },
  { source: 'https://example.org/tools', path: 'C:\\outside' },
])('the source %j is refused', (source) => {
  let error: unknown;
  try {
    parseSource(source);
  } catch (thrown) {
    error = thrown;
  }
  expect(isPluginError(error, 'INVALID_SOURCE')).toBe(true);
});

test('a source is shown without its password, also in the error', () => {
  expect(withoutCredentials('https://me:pass@example.org/tools.git')).toBe('https://****@example.org/tools.git');
  expect(withoutCredentials('/srv/skill')).toBe('/srv/skill');
  expect(() => parseSource({ source: 'ssh://me:pass@example.org/tools' })).toThrow(/ssh:\/\/\*\*\*\*@example/);
});
