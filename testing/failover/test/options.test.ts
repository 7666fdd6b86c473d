import { expect, test } from 'vitest';

import { parseOptions, USAGE } from '../src/options.ts';

test('three servers on PostgreSQL are struck for two minutes by default while 50 conversations run', () => {
  const { seed, ...options } = parseOptions([]);
  expect(options).toEqual({
    store: 'postgres',
    servers: 3,
    conversations: 50,
    seconds: 120,
    rolling: false,
    calm: false,
    runtime: null,
    image: 'localhost/conv-agent-server',
    takeoverSeconds: 5,
    runs: 50,
    thinking: 4000,
    timeout: 120,
    json: false,
    verbose: false,
    keep: false,
    help: false,
    breakage: null,
  });
  expect(seed).toBeGreaterThanOrEqual(0);
});

test('the separator that npm hands on is left out', () => {
  expect(parseOptions(['--', '--conversations', '7', '--store', 's3', '--rolling'])).toMatchObject({
    conversations: 7,
    runs: 7,
    store: 's3',
    rolling: true,
  });
});

test.each([
  [['--servers', 'none'], /--servers takes a whole number of at least 1, not none/],
  [['--store', 'tape'], /--store takes fs, sqlite, postgres, s3, not tape/],
  [['--runtime', 'nowhere'], /--runtime takes local, sandbox, docker, not nowhere/],
  [['--break', 'everything'], /--break takes forgetful, .*, not everything/],
] as const)('%j is refused', (args, message) => {
  expect(() => parseOptions(args)).toThrow(message);
});

test('the help names every option', () => {
  const names = [
    'seconds',
    'conversations',
    'servers',
    'store',
    'rolling',
    'calm',
    'runtime',
    'image',
    'takeover-seconds',
    'runs',
  ];
  for (const name of [...names, 'thinking', 'timeout', 'seed', 'json', 'verbose', 'keep', 'break'])
    expect(USAGE).toContain(`--${name}`);
});
