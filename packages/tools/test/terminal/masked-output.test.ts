import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { MaskedScreen } from '../../src/terminal/masked-screen.ts';
import { fakeSecrets } from '../support/fake-secrets.ts';
import { temporaryFolder, textOf } from '../open-tool.ts';
import { metadataOf, openTerminal, PATIENT, runUntil, typeUntil } from './open-terminal.ts';
import { terminal } from './tested-terminal.ts';

const VALUE = 'tok-1f9c7be2a4d84c6e';
const MASK = '<secret-hidden>';

/** True if the text contains 8 characters of the value in a row. */
function showsPart(text: string, value = VALUE): boolean {
  return Array.from({ length: value.length - 7 }, (_, at) => value.slice(at, at + 8)).some((part) =>
    text.includes(part),
  );
}

describe('P9: what the terminal shows', () => {
  test('P9: the terminal shows no values of secrets', async () => {
    const shell = await openTerminal(terminal(), { secrets: fakeSecrets({ TOKEN: VALUE }) });
    expect(textOf(await shell.run('echo "a $TOKEN b"; env | grep ^TOKEN'))).toBe(`a ${MASK} b\nTOKEN=${MASK}`);
    expect(textOf(await shell.run(`echo ${VALUE}`))).toBe(MASK);
  });

  test.each([
    [
      'colours inside',
      String.raw`printf '%s\e[1;31m%s\e[0m%s\n' "${'${TOKEN:0:5}'}" "${'${TOKEN:5:6}'}" "${'${TOKEN:11}'}"`,
    ],
    ['an end that was overwritten', String.raw`printf '%s\rab\n' "$TOKEN"`],
    ['an end that was erased', String.raw`printf '%s\b\b\b\e[K\n' "$TOKEN"`],
    ['pauses inside', 'printf %s "${TOKEN:0:9}"; sleep 0.05; echo "${TOKEN:9}"'],
  ])('a value with %s is masked', async (_, command) => {
    const shell = await openTerminal(terminal(), { secrets: fakeSecrets({ TOKEN: VALUE }) });
    const shown = textOf(await shell.run(command));
    expect(shown).not.toBe('');
    expect(showsPart(shown)).toBe(false);
  });

  test('a value of many lines is masked, also where a program ends lines with a carriage return', async () => {
    const key = `-----BEGIN-----\n${'abcdefgh\n'.repeat(40)}-----END-----`;
    const shell = await openTerminal(terminal(), { secrets: fakeSecrets({ KEY: key }) });
    expect(textOf(await shell.run('echo "$KEY"'))).toBe(MASK);
    expect(textOf(await shell.run('stty onlcr; echo "$KEY"'))).toBe(MASK);
  });

  test('P9: output is masked before it is cut and before it is written into a side file', async () => {
    const shell = await openTerminal(terminal(), { secrets: fakeSecrets({ TOKEN: VALUE }) });
    const result = await shell.run(
      'for ((i = 0; i < 7000; i++)); do printf %s-%s------------------------------ $i "$TOKEN"; ((i % 9)) || echo; done; echo end',
    );
    const shown = textOf(result);
    expect(shown).toContain('characters left out');
    expect(showsPart(shown)).toBe(false);
    const [name = ''] = readdirSync(shell.session.sideDirectory);
    const full = readFileSync(join(shell.session.sideDirectory, name), 'utf8');
    expect(full.length).toBeGreaterThan(300_000);
    expect(showsPart(full)).toBe(false);
    expect(full.split(MASK)).toHaveLength(7001);
    expect(full).toMatch(/end\n$/);
  });

  test('P9: output without line breaks is masked across every border', async () => {
    const shell = await openTerminal(terminal(), { secrets: fakeSecrets({ TOKEN: VALUE }) });
    const shown = textOf(await shell.run('for ((i = 0; i < 12000; i++)); do printf %s "$TOKEN"; done'));
    expect(showsPart(shown)).toBe(false);
    const [name = ''] = readdirSync(shell.session.sideDirectory);
    expect(readFileSync(join(shell.session.sideDirectory, name), 'utf8')).toBe(MASK.repeat(12_000));
  });

  test('P9: output of two calls is masked where a value lies across both', async () => {
    const shell = await openTerminal(terminal({ noOutputTimeout: 0.2 }), { secrets: fakeSecrets({ TOKEN: VALUE }) });
    const command = 'printf "a %s" "${TOKEN:0:10}"; read x; echo "${TOKEN:10} b"';
    expect((await runUntil(shell, command, 'a')).text).toBe('a ');
    expect(textOf(await shell.run('go', PATIENT))).toBe(`${MASK} b`);
  });

  test('P9: half a value at the end of a command is masked', async () => {
    const shell = await openTerminal(terminal(), { secrets: fakeSecrets({ TOKEN: VALUE }) });
    expect(textOf(await shell.run('printf %s "a ${TOKEN:0:10}"'))).toBe(`a ${MASK}`);
  });

  test('P9: output of a program in the background is masked before it is cut', async () => {
    const shell = await openTerminal(terminal(), { secrets: fakeSecrets({ TOKEN: VALUE }) });
    await shell.run('mkfifo go printed; (read x <go; for i in {1..300}; do echo "$TOKEN,"; done; echo >printed) &');
    await writeFile(join(shell.session.workingDirectory, 'go'), 'x\n');
    await readFile(join(shell.session.workingDirectory, 'printed'));
    const prefix = String(metadataOf(await shell.run('echo mine'))['prefix']);
    expect(prefix).toContain(MASK);
    expect(showsPart(prefix)).toBe(false);
  });

  test('P9: output is masked with a value that became known while the command runs', async () => {
    const secrets = fakeSecrets({ TOKEN: VALUE });
    const shell = await openTerminal(terminal({ noOutputTimeout: 0.2 }), { secrets });
    await shell.run('read x; echo "later: $x"; cat');
    secrets.hide('rotated-value');
    expect(await typeUntil(shell, 'rotated-value', `later: ${MASK}`)).not.toContain('rotated');
  });

  test('P9: output of a shell that does not start is masked before the error quotes its end', async () => {
    const folder = temporaryFolder();
    const shell = join(folder, 'shell');
    writeFileSync(shell, `#!/bin/sh\nprintf '%s%0485d' ${VALUE} 0\n`, { mode: 0o700 });
    const secrets = fakeSecrets({ TOKEN: VALUE });
    const { run } = await openTerminal(terminal({ shell }), { secrets }, folder);
    const error = await run('true').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'FAILED', cause: { message: expect.stringMatching(/hidden>0{485}$/) } });
  });
});

test('P9: a value is masked wherever pieces begin and end', () => {
  const text = `one ${VALUE}${VALUE} two\n${VALUE}\r\nthree`;
  for (let size = 1; size <= text.length; size++) {
    let shown = '';
    const { masker } = fakeSecrets({ TOKEN: VALUE });
    const screen = new MaskedScreen(
      () => masker,
      (part) => (shown += part),
    );
    for (let at = 0; at < text.length; at += size) {
      screen.write(text.slice(at, at + size));
      screen.flush();
    }
    screen.end();
    expect(shown).toBe(`one ${MASK}${MASK} two\n${MASK}\nthree`);
  }
});
