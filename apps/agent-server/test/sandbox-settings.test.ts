import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { newFolder } from './new-folder.ts';
import { read } from './read-settings.ts';

test('the limits of programs in the sandbox are members of an object', async () => {
  const limits = { memory: 4 * 2 ** 30, processes: 500 };
  expect(await read({ CONV_SANDBOX_LIMITS: JSON.stringify(limits) })).toMatchObject({ sandboxLimits: limits });
  const config = join(newFolder(), 'server.json');
  writeFileSync(config, JSON.stringify({ sandboxLimits: { cpu: 60 } }));
  expect(await read({}, { config })).toMatchObject({ sandboxLimits: { cpu: 60 } });
  const wrong = [
    ['500', 'expected an object such as'],
    ['{"processes":0}', 'expected a number from 1'],
    ['{"threads":5}', 'threads'],
  ] as const;
  for (const [text, message] of wrong)
    await expect(read({ CONV_SANDBOX_LIMITS: text })).rejects.toThrow(
      expect.objectContaining({ message: expect.stringMatching(new RegExp(`^CONV_SANDBOX_LIMITS.*${message}`)) }),
    );
});

test('hosts that programs in the sandbox reach are refused without a network of it', async () => {
  const sandboxHosts = ['example.org', '*.example.com:443'];
  expect(await read({ CONV_SANDBOX_HOSTS: JSON.stringify(sandboxHosts) })).toMatchObject({ sandboxHosts });
  expect(await read({ CONV_SANDBOX_HOSTS: 'example.org:8443' })).toMatchObject({ sandboxHosts: ['example.org:8443'] });
  expect(await read({}, { sandboxHosts })).toMatchObject({ sandboxHosts });
  for (const sandbox of ['off', 'closed'] as const)
    await expect(read({ CONV_SANDBOX_HOSTS: 'example.org' }, { sandbox })).rejects.toThrow(
      `CONV_SANDBOX_HOSTS: it has no effect with the sandbox ${sandbox}`,
    );
});

test('paths that programs in the sandbox read are absolute, and refused when it is off', async () => {
  const sandboxRead = ['/srv/servers', '/srv/data/file'];
  expect(await read({ CONV_SANDBOX_READ: sandboxRead.join(':') })).toMatchObject({ sandboxRead });
  expect(await read({}, { sandboxRead })).toMatchObject({ sandboxRead });
  await expect(read({ CONV_SANDBOX_READ: 'servers' })).rejects.toThrow(/CONV_SANDBOX_READ.*absolute paths/);
  await expect(read({ CONV_SANDBOX: 'off', CONV_SANDBOX_READ: '/srv' })).rejects.toThrow(
    'CONV_SANDBOX_READ: it has no effect without a sandbox',
  );
});

test('a way out of the sandbox is asked for by name, and refused where there is none to leave', async () => {
  expect(await read({ CONV_SANDBOX_OUTSIDE: 'ask' })).toMatchObject({ sandboxOutside: 'ask' });
  await expect(read({ CONV_SANDBOX_OUTSIDE: 'always' })).rejects.toThrow(/CONV_SANDBOX_OUTSIDE.*one of never, ask/);
  await expect(read({ CONV_SANDBOX: 'off', CONV_SANDBOX_OUTSIDE: 'ask' })).rejects.toThrow(
    'CONV_SANDBOX_OUTSIDE: without a sandbox no command is outside of it',
  );
});

test('limits of a sandbox that is off are refused by name', async () => {
  await expect(read({ CONV_SANDBOX: 'off', CONV_SANDBOX_LIMITS: '{"processes":5}' })).rejects.toThrow(
    'CONV_SANDBOX_LIMITS: it has no effect without a sandbox. Set CONV_SANDBOX to auto or on, or leave the limits out',
  );
  expect(await read({ CONV_SANDBOX: 'off' })).toMatchObject({ sandbox: 'off', sandboxLimits: {} });
});
