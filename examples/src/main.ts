import process from 'node:process';
import { fileURLToPath } from 'node:url';

import { examplesIn, runExample, runExamples } from './support/run-examples.ts';

const stage = {
  folder: fileURLToPath(new URL('.', import.meta.url)),
  except: ['main'],
  print: (line: string) => void process.stdout.write(`${line}\n`),
};
const [name, ...given] = process.argv.slice(2);

if (name === undefined) process.exitCode = (await runExamples(stage)) ? 0 : 1;
else if (examplesIn(stage).includes(name)) process.exitCode = await runExample(name, stage, given);
else {
  process.stderr.write(`there is no example ${JSON.stringify(name)}; there are ${examplesIn(stage).join(', ')}\n`);
  process.exitCode = 2;
}
