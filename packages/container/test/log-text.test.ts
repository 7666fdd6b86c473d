import { expect, test } from 'vitest';

import { logText } from '../src/engine/log-text.ts';

function frame(stream: number, text: string): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt8(stream);
  head.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([head, Buffer.from(text)]);
}

test('the log of a container is the text of its frames, in their order', () => {
  expect(logText(Buffer.concat([frame(1, 'out\n'), frame(2, 'err: ü\n')]))).toBe('out\nerr: ü');
});

test('a cut frame ends the text', () => {
  expect(logText(Buffer.concat([frame(1, 'whole\n'), frame(1, 'cut here').subarray(0, 11)]))).toBe('whole\ncut');
});
