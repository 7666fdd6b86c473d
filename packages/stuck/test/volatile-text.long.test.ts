import { costGrowth, inCi } from '@conv/testing-harness';
import { describe, expect, test } from 'vitest';
import { withoutVolatile } from '../src/volatile-text.ts';

const ignored: readonly (readonly [string, string])[] = [
  ['pid 123', 'pid 9'],
  ['PID: 123 up', 'PID: 45678 up'],
  ['{"ppid": 12}', '{"ppid": 13}'],
  ['child_pid=7', 'child_pid=81'],
  ['Started server process [123]', 'Started server process [124]'],
  ['[1] 12345', '[1] 999'],
  ['==123==ERROR', '==4567==ERROR'],
  ['at 2026-11-20T09:39:45.123Z x', 'at 2026-11-21T10:00:00.5Z x'],
  ['2026-11-20 09:39:45,123 INFO', '2026-11-20 09:39:46,001 INFO'],
  ['2026/11/20 09:39', '2026/11/20 09:40'],
  ['Date: Fri, 20 Nov 2026 09:39:45 GMT', 'Date: Fri, 20 Nov 2026 09:41:02 GMT'],
  ['-rw 1 root 10 Nov 20 09:39 a', '-rw 1 root 10 Nov 20 09:40 a'],
  ['[09:39:45] ok', '[10:00:01] ok'],
  ['9:39 AM', '10:02 PM'],
  ['done in 1.23s', 'done in 14.5s'],
  ['12 ms', '1,050 ms'],
  ['real\t0m0.012s', 'real\t1m10.9s'],
  ['2 minutes ago', '13 minutes ago'],
  ['1h 2m 3s', '2h 0m 59s'],
  ['{"elapsed_ms": 12}', '{"elapsed_ms": 99.5}'],
  ['timestamp: 1790000000', 'timestamp: 1790000123'],
  ['t 1790000000123', 't 1790000000456'],
  ['<object at 0x7f3a5c0012f0>', '<object at 0x55d0c81234a0>'],
  ['id 5b8f0f0e-53a2-4f0e-8a56-2c6f7cf0a001', 'id ab8f0f0e-53a2-4f0e-8a56-2c6f7cf0a0ff'],
  ['/tmp/tmpab12cd34/x', '/tmp/tmpzzzzzzzz/x'],
  ['/tmp/tmp.Ab3dE6fGh1', '/tmp/tmp.1b3dE6fGh9'],
  ['/tmp/build-x7Qz1a/out', '/tmp/build-pp0aZZ/out'],
  ['http://localhost:54321/', 'http://localhost:40022/'],
  ['127.0.0.1:54321', '127.0.0.1:54322'],
  ['see /srv/.out/terminal_output_0a1b2c3d.txt', 'see /srv/.out/terminal_output_ffee2c3d.txt'],
];

const progress: readonly (readonly [string, string])[] = [
  ['10%', '20%'],
  ['17/100 files', '18/100 files'],
  ['3 of 10', '4 of 10'],
  ['step 3', 'step 4'],
  ['main.ts:12:34', 'main.ts:12:35'],
  ['  12:34  error  unused', '  13:34  error  unused'],
  ['line 10', 'line 11'],
  ['12345 bytes', '12346 bytes'],
  ['12 MB', '13 MB'],
  ['1.2.3', '1.2.4'],
  ['/tmp/a.txt', '/tmp/b.txt'],
  ['/tmp/my-report', '/tmp/my-result'],
  ['/tmp/part-000017', '/tmp/part-000018'],
  ['rapid 17', 'rapid 18'],
  ['process 17', 'process 18'],
  ['exit code 1', 'exit code 2'],
  ['0x1F', '0x20'],
  ['9f86d081884c7d65', '9f86d081884c7d66'],
  ['1512345678', '1612345678'],
  ['10 tests, 3 suites', '11 tests, 3 suites'],
  ['localhost:3000', 'localhost:3001'],
  ['test_output_1.txt', 'test_output_2.txt'],
  ['May 10 files', 'May 11 files'],
];

describe('volatile parts are ignored', () => {
  test.for(ignored)('%s = %s', ([one, other]) => {
    expect(withoutVolatile(one)).toBe(withoutVolatile(other));
  });
});

describe('parts that may show progress are kept', () => {
  test.for(progress)('%s ≠ %s', ([one, other]) => {
    expect(withoutVolatile(one)).not.toBe(withoutVolatile(other));
  });
});

test('a million characters of any kind take one pass', () => {
  const kinds = [
    '1',
    '1,',
    '1.',
    'a',
    '/tmp/',
    '/tmp/a-',
    '/tmp/aA1-',
    '0x',
    '==1',
    '12:',
    '12:34:',
    '2026-',
    ' 1',
    '1 ',
    '1h1m',
    'Nov 1',
    '_output_a',
  ];
  for (const kind of inCi(kinds, 3)) {
    const part = kind.repeat(Math.ceil(100_000 / kind.length));
    const growth = costGrowth((parts) => withoutVolatile(part.repeat(parts)), 10);
    // one pass costs ten times as much, two nested ones a hundred times
    expect(growth, `ten times ${JSON.stringify(kind)}`).toBeLessThan(40);
  }
});
