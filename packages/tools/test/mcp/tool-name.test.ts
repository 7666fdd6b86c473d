import fc from 'fast-check';
import { expect, test } from 'vitest';

import { otherNames, toolName } from '../../src/mcp/tool-name.ts';

test('a name that models can say stays', () => {
  expect(toolName('get-sum_2')).toBe('get-sum_2');
  expect(toolName('get-sum', 'maths')).toBe('maths_get-sum');
});

test('a name that they cannot say is the same each time, and unlike others that would look like it', () => {
  expect(toolName('files/read file')).toBe(toolName('files/read file'));
  expect(toolName('files/read file')).toMatch(/^files_read_file_[0-9a-f]{8}$/);
  expect(toolName('files/read.file')).not.toBe(toolName('files/read file'));
  expect(toolName('x'.repeat(65))).not.toBe(toolName('x'.repeat(66)));
});

test('a tool whose name is taken is called by its server, and by what no other one is called', () => {
  const [byServer, own] = otherNames('b_say', 'a');
  expect(byServer).toBe(toolName('say', 'a_b'));
  expect(own).toMatch(/^a_b_say_[0-9a-f]{8}$/);
  expect(own).not.toBe(otherNames('say', 'a_b')[1]);
});

test('every name can be said', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', '-', ' ', '/', 'é', '工', '😀', '\u0000'), minLength: 1, maxLength: 100 }),
      fc.option(fc.string()),
      (name, server) => {
        const names = [toolName(name, server ?? undefined), ...otherNames(name, server ?? '')];
        for (const one of names) expect(one).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      },
    ),
  );
});
