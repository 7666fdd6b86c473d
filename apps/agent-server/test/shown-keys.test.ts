import { shellEnvironment } from '@conv/tools';
import { execa } from 'execa';
import { expect, onTestFinished, test, vi } from 'vitest';

import { keysShownBy } from '../src/start/shown-keys.ts';

const KEYS = {
  SESSION_API_KEY: 'v',
  SESSION_API_KEYS: 'v',
  OH_SESSION_API_KEYS_0: 'v',
  CONV_APPROVER_KEYS: 'v',
  CONV_APPROVER_KEY_1: 'v',
  OH_SECRET_KEY: 'v',
  CONV_OLD_SECRET_KEY: 'v',
  CONV_OLD_SECRET_KEYS: 'v',
  LLM_API_KEY: 'v',
  CONV_WEBHOOKS: '[{"name":"a","url":"https://example.org","secrets":["whsec_v"]}]',
  OH_WEBHOOKS: '[ {"base_url":"https://example.org","headers":{"Authorization":"Bearer v"}} ]',
  OH_WEBHOOKS_0_HEADERS: '{ "Authorization": "Bearer v" }',
  OTEL_EXPORTER_OTLP_HEADERS: 'x-team=v',
  OTEL_EXPORTER_OTLP_LOGS_HEADERS: 'x-team=v',
};

test.skipIf(process.platform !== 'linux')('P9: no shell of an agent inherits a variable with keys', async () => {
  const child = execa('sh', ['-c', 'echo begun; read line'], { env: KEYS, extendEnv: false, reject: false });
  for await (const line of child) {
    expect(line).toBe('begun');
    expect(keysShownBy(child.pid as number)).toEqual(Object.keys(KEYS).toSorted());
    child.stdin.end('\n');
  }
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const [name, value] of Object.entries(KEYS)) vi.stubEnv(name, value);
  expect(Object.keys(shellEnvironment()).filter((name) => name in KEYS)).toEqual([]);
});

test.skipIf(process.platform !== 'linux')(
  'P9: keys in the environment of a process are found by name, files and empty ones are not',
  async () => {
    const env = {
      OH_SESSION_API_KEYS_0: 'a-session-key-0123',
      CONV_APPROVER_KEYS: 'an-approver-key-0123',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-team=a-collector-key',
      CONV_WEBHOOKS: '[{"secrets":["a-key-0123"]}]',
      OH_WEBHOOKS_0_HEADERS: '{"Authorization":"Bearer a-key-0123"}',
      OH_WEBHOOKS_0_BASE_URL: 'https://example.org',
      OH_SECRET_KEY: '',
      OH_SECRET_KEY_FILE: '/run/keys',
      SOME_TOKEN: 'of-somebody-else',
    };
    // it has begun with this environment when it says so
    const child = execa('sh', ['-c', 'echo begun; read line'], { env, extendEnv: false, reject: false });
    for await (const line of child) {
      expect(line).toBe('begun');
      expect(keysShownBy(child.pid as number)).toEqual([
        'CONV_APPROVER_KEYS',
        'CONV_WEBHOOKS',
        'OH_SESSION_API_KEYS_0',
        'OH_WEBHOOKS_0_HEADERS',
        'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
      ]);
      child.stdin.end('\n');
    }
    await child;
    expect(keysShownBy(child.pid as number)).toEqual([]);
  },
);
