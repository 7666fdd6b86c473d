import fc from 'fast-check';
import { expect, test } from 'vitest';

import { capabilitiesOf } from '../../src/transport/server-capabilities.ts';
import { Bench, NUMBERED } from '../support/bench.ts';

test('P11: unknown capabilities of a server change nothing, and its known capabilities are used', async () => {
  const capabilities = [...NUMBERED, 'telepathy_v1', 'commits_v2'];
  await using bench = await Bench.start({ capabilities });
  const conversation = await bench.open();
  await conversation.sendMessage('Hello');
  expect((await conversation.run()).status).toBe('finished');
  expect(await bench.workspace().serverInfo()).toMatchObject({ capabilities: new Set(capabilities) });
});

test('the capabilities of a server are the known names that it announces, whatever else it announces', () => {
  const known = capabilitiesOf({ version: null, capabilities: new Set(['commits_v1']), all: {} });
  fc.assert(
    fc.property(fc.array(fc.string().map((name) => `x_${name}`)), fc.string(), (others, version) => {
      fc.pre(!/^\d+\.\d+\./.test(version));
      expect(capabilitiesOf({ version, capabilities: new Set(['commits_v1', ...others]), all: {} })).toEqual(known);
    }),
  );
});
