import { describe, expect, test } from 'vitest';

import { textOf } from '../open-tool.ts';
import { metadataOf } from './open-terminal.ts';
import { ENVIRONMENT_HASH, hashOf, openWithToken, VALUE } from './open-with-token.ts';

describe('a variable of the shell that has the name of a secret', () => {
  const show = `n=TO; m=KEN; declare -p "$n$m"`;
  test.each([
    ['plain', 'x=TO; read ${x}KEN <<<"an old one"', 'declare -- TOKEN="an old one"'],
    ['exported', 'x=TO; read ${x}KEN <<<old; export ${x}KEN', 'declare -x TOKEN="old"'],
    ['an array', 'x=TO; eval "${x}KEN=(a \'b c\')"', 'declare -a TOKEN=([0]="a" [1]="b c")'],
    ['a number', 'x=TO; declare -i ${x}KEN=3', 'declare -i TOKEN="3"'],
    ['a map', 'x=TO; declare -A ${x}KEN; eval "${x}KEN[a]=b"', 'declare -A TOKEN=([a]="b" )'],
    ['a reference', 'x=TO; declare -n ${x}KEN=other; other=1', 'declare -n TOKEN="other"'],
    ['of several lines', `x=TO; printf -v \${x}KEN 'a\\nb"$c'`, String.raw`declare -- TOKEN=$'a\nb"$c'`],
    ['declared without a value', 'x=TO; export ${x}KEN', 'declare -x TOKEN'],
  ])('a variable with the name of a secret that is %s is there again afterwards', async (_, make, declared) => {
    const shell = await openWithToken();
    await shell.run(make);
    expect(textOf(await shell.run(show))).toBe(declared);
    expect(textOf(await shell.run(`${ENVIRONMENT_HASH} # TOKEN`))).toBe(hashOf(VALUE));
    expect(textOf(await shell.run(show))).toBe(declared);
    await shell.run('echo "$TOKEN'); // a syntax error
    expect(textOf(await shell.run(show))).toBe(declared);
    expect(textOf(await shell.run('echo "[$other$__conv_saved$__conv_given]"'))).toMatch(/^\[1?\]$/);
  });

  test("an exported variable with a secret's name is there again in a bash that took the shell’s place", async () => {
    const shell = await openWithToken();
    await shell.run('x=TO; read ${x}KEN <<<old; export ${x}KEN');
    await shell.run('exec bash # TOKEN');
    expect(
      textOf(await shell.run(`${show}; env | grep -c ^__conv; tr '\\0' '\\n' </proc/$$/environ | grep "^$n$m="`)),
    ).toBe('declare -x TOKEN="old"\n0\nTOKEN=old');
  });

  test("a readonly variable with a secret's name stays, and the result says that the secret has no value", async () => {
    const shell = await openWithToken();
    await shell.run('x=TO; readonly ${x}KEN=mine');
    const result = await shell.run('echo $TOKEN');
    expect(textOf(result)).toBe('mine');
    expect(metadataOf(result)['prefix']).toBe(
      '[The secret TOKEN has no value here: the shell has a readonly variable of this name.]\n',
    );
    expect(textOf(await shell.run(show))).toBe('declare -r TOKEN="mine"');
  });
});
