import { expect, test } from 'vitest';

import { startStudio, StudioError } from '../../src/index.ts';
import { newFolder } from './support/folders.ts';

async function refusal(options: object): Promise<unknown> {
  const started = startStudio({ place: `fs:${newFolder()}`, port: 0, ...options });
  return started.then(
    (studio) => studio.close(),
    (error: unknown) => error,
  );
}

test.each([
  [{ readOnyl: 'a look' }, 'startStudio: there is no option "readOnyl"; did you mean readOnly?'],
  [{ sesionKey: 'a key' }, 'startStudio: there is no option "sesionKey"; did you mean sessionKey?'],
  [{ serverKey: { flie: 'key' } }, 'startStudio: serverKey: there is no option "flie"; did you mean file?'],
  [
    { serverKey: 'a key' },
    'startStudio: serverKey: expected an object with the options variable, file, found a string',
  ],
  [{ readOnly: true }, 'startStudio: readOnly: expected the reason as a text, found a boolean'],
  [{ readOnly: '' }, 'startStudio: readOnly: expected the reason as a text, found an empty string'],
  [{ sessionKey: '' }, 'startStudio: sessionKey: expected a key as a text, found an empty string'],
  [{ port: '80' }, 'startStudio: port: expected a whole number from 0 to 65535, found a string'],
])('P13: studio does not start with %j', async (options, message) => {
  const error = await refusal(options);
  expect(error).toBeInstanceOf(StudioError);
  expect(error).toHaveProperty('message', message);
});
