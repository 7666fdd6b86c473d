import { execa } from 'execa';
import { expect, test } from 'vitest';

import { keysShownBy } from '../src/start/shown-keys.ts';

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
