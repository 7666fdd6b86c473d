import { expect, test } from 'vitest';

import { promptParts } from '../src/content-blocks.ts';

test('an embedded file can have very many backticks', () => {
  const text = '``` '.repeat(500_000);
  const [part] = promptParts([{ type: 'resource', resource: { uri: 'file:///a.md', text } }]);
  expect(part).toEqual({ type: 'text', text: `file:///a.md:\n\n\`\`\`\`\n${text}\n\`\`\`\`` });
});
