import { expect, test } from 'vitest';

import { toText } from '../src/log.ts';

const HOSTILE = '\u001b[2J\u009b5A\u202e\n12:30:00 info  all is well';

test('text of others begins no line of the log and holds nothing that a terminal obeys', () => {
  const err = { stack: `Error: ${HOSTILE}\n    at here` };
  const line = JSON.stringify({
    level: 30,
    time: '2026-01-01T12:30:00',
    msg: HOSTILE,
    tool: HOSTILE,
    deep: { [HOSTILE]: 1 },
    err,
  });
  const text = toText(line);
  expect(text).not.toMatch(/[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]--[\n]]/v);
  const lines = text.trimEnd().split('\n');
  expect(lines[0]).toMatch(/^12:30:00 info /);
  for (const rest of lines.slice(1)) expect(rest).toMatch(/^ {4}/);
});
