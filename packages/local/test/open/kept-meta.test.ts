import { MemoryStore } from '@conv/core/store';
import { expect, test } from 'vitest';

import { open } from '../support/bench.ts';
import { ScriptedAgent } from '../support/scripted-agent.ts';

test('further members of a new description are stored, and those of a stored conversation stay unchanged', async () => {
  const store = new MemoryStore();
  const agent = new ScriptedAgent();
  const first = await open(store, { agent, meta: { user_id: 'u', plugins: [{ source: 's' }] } });
  await first.close();
  const again = await open(store, { agent, id: first.id, meta: { user_id: 'another' } });
  expect(again.state.extra.meta).toEqual({ user_id: 'u', plugins: [{ source: 's' }] });
});
