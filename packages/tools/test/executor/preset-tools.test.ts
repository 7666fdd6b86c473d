import { expect, test } from 'vitest';

import { presetTools } from '../../src/index.ts';
import { both } from './elsewhere.ts';

const patch = [
  '*** Begin Patch',
  '*** Update File: a.txt',
  '@@',
  '-two',
  '+2',
  '*** Delete File: b.txt',
  '*** End Patch',
];

test.each([
  ['read_file', [{ file_path: 'a.txt' }, { file_path: 'not-there.txt' }]],
  [
    'edit',
    [
      { file_path: 'a.txt', old_string: 'one', new_string: '1' },
      { file_path: 'a.txt', old_string: '9', new_string: '' },
    ],
  ],
  [
    'glob',
    [
      { pattern: '*.txt', path: 'FOLDER/in' },
      { pattern: '*.txt', path: 'FOLDER/not-there' },
    ],
  ],
  ['grep', [{ pattern: 'one', include: 'a.*' }]],
  ['apply_patch', [{ patch: patch.join('\n') }, { patch: patch.join('\n') }]],
] as const)('%s gives in an executor the results that it gives on this machine', async (name, calls) => {
  const write = presetTools().write_file();
  const tool = presetTools()[name]();
  // one conversation makes the files and then makes the calls
  const create: typeof tool.create = async (session) => {
    const writer = await write.create(session);
    const context = { ...session, signal: new AbortController().signal, toolCallId: 'call' };
    for (const [path, content] of [
      ['a.txt', 'one\ntwo\n'],
      ['b.txt', 'b\n'],
      ['in/c.txt', 'c\n'],
    ])
      await writer.execute(writer.parse({ file_path: path, content }), context);
    return tool.create(session);
  };
  const [here, there] = await both(() => ({ ...tool, create }), calls);
  expect(here).toHaveLength(calls.length);
  expect(there).toEqual(here);
});
