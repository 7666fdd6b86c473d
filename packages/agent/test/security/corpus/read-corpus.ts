import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { AssessOptions } from '@conv/core';
import type { SecurityRisk } from '@conv/core/events';

/** A command with its label. */
export interface Labelled {
  readonly label: 'dangerous' | 'harmless';
  /** The rating of OpenHands 1.43.1. */
  readonly reference: SecurityRisk;
  readonly reason: string;
  readonly command: string;
}

/** Circumstances that the labels were given for. */
export const circumstances: AssessOptions = {
  signal: new AbortController().signal,
  workingDirectory: join(homedir(), 'project'),
  protectedPlaces: {
    addresses: ['http://127.0.0.1:8000'],
    paths: [join(homedir(), '.openhands/secret.key')],
  },
};

/** Reads the commands of a part of the corpus. `/home/dev` stands for the home folder of the user who runs the tests. */
export function readCorpus(name: 'held-out' | 'tuned' | 'unseen' | 'unseen-again'): readonly Labelled[] {
  const lines = readFileSync(join(import.meta.dirname, `${name}.tsv`), 'utf8').split('\n');
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [label, reference, reason, command] = line.split('\t') as [Labelled['label'], SecurityRisk, string, string];
      return { label, reference, reason, command: command.replaceAll('␤', '\n').replaceAll('/home/dev', homedir()) };
    });
}
