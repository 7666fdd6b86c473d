import type { JsonObject, Tool } from '@conv/core/tool';
import { expect, test } from 'vitest';

import { inComment } from '../../src/terminal/outside-input.ts';

const asItIs = (value: unknown): JsonObject => value as JsonObject;
const wire: Tool['wire'] = inComment({
  definition: {},
  toAction: asItIs,
  fromAction: asItIs,
  toObservation: () => ({}),
});

test('P10: a stored call leaves the sandbox only with the comment that a person was shown', () => {
  const command = 'cat ~/notes';
  expect(wire.fromAction({ command, outside_sandbox: 'the task needs it' })).toEqual({ command });
  const asked = { command, outside_sandbox: 'the task needs it' };
  expect(wire.fromAction(wire.toAction(asked))).toEqual(asked);
  const shown = wire.toAction({ command, outside_sandbox: 'what was shown' });
  expect(wire.fromAction({ ...shown, outside_sandbox: 'another reason' })).toEqual({
    command,
    outside_sandbox: 'what was shown',
  });
});
