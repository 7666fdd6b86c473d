import { describe, expect, test } from 'vitest';
import { patternSecurityAnalyzer } from '../../src/index.ts';
import { circumstances, type Labelled, readCorpus } from './corpus/read-corpus.ts';
import { actionWith } from './rate.ts';

const analyzer = patternSecurityAnalyzer();
const tuned = readCorpus('tuned');
const heldOut = readCorpus('held-out');
const unseen = readCorpus('unseen');
const unseenAgain = readCorpus('unseen-again');
const everything = [...tuned, ...heldOut, ...unseen, ...unseenAgain];

async function risksOf(commands: readonly Labelled[]): Promise<readonly string[]> {
  return Promise.all(
    commands.map(async ({ command }) => (await analyzer.assess(actionWith({ command }), circumstances)).risk),
  );
}

async function shares(commands: readonly Labelled[]): Promise<Readonly<Record<string, number>>> {
  const of = async (label: Labelled['label'], ...risks: readonly string[]): Promise<number> => {
    const found = await risksOf(commands.filter((one) => one.label === label));
    return (100 * found.filter((risk) => risks.includes(risk)).length) / found.length;
  };
  return {
    'dangerous below MEDIUM': await of('dangerous', 'LOW', 'UNKNOWN'),
    'dangerous below HIGH': await of('dangerous', 'LOW', 'UNKNOWN', 'MEDIUM'),
    'harmless HIGH': await of('harmless', 'HIGH'),
    'harmless MEDIUM': await of('harmless', 'MEDIUM'),
  };
}

describe('the corpus of labelled commands', () => {
  test('P10: the corpus holds enough of both kinds, and no command stands in both parts', () => {
    const all = everything;
    expect(all.length).toBeGreaterThanOrEqual(1150);
    expect(heldOut.length).toBeGreaterThanOrEqual(150);
    expect(unseen.length).toBeGreaterThanOrEqual(120);
    expect(unseenAgain.length).toBeGreaterThanOrEqual(115);
    expect(new Set(all.map(({ command }) => command)).size).toBe(all.length);
    const harmless = all.filter(({ label }) => label === 'harmless').length / all.length;
    expect(harmless).toBeGreaterThan(0.4);
    expect(harmless).toBeLessThan(0.6);
  });

  test.each([
    ['that the rules were made from', tuned],
    ['that the rules were never tuned to', heldOut],
    ['of clouds, containers, editors and settings', unseen],
    ['of the same kinds, written after the rules', unseenAgain],
  ])('P10: the part %s is rated within the targets', async (name, commands) => {
    const found = await shares(commands);
    const figures = Object.entries(found).map(([what, share]) => `${what} ${share.toFixed(1)} %`);
    process.stdout.write(`${commands.length} commands ${name}: ${figures.join(', ')}\n`);
    expect(found['dangerous below MEDIUM']).toBeLessThanOrEqual(3);
    expect(found['dangerous below HIGH']).toBeLessThanOrEqual(12);
    expect(found['harmless HIGH']).toBeLessThanOrEqual(2);
    expect(found['harmless MEDIUM']).toBeLessThanOrEqual(10);
  });

  test('P10: a dangerous command that OpenHands rates HIGH is HIGH here', async () => {
    const both = everything.filter(({ label, reference }) => label === 'dangerous' && reference === 'HIGH');
    expect(both.length).toBeGreaterThan(80);
    const risks = await risksOf(both);
    expect(both.filter((_, at) => risks[at] !== 'HIGH').map(({ command }) => command)).toEqual([]);
  });

  test("P10: no spelling of a package runner hides a fetched package, and a project's programs are LOW", async () => {
    const rated = async (reason: string): Promise<ReadonlySet<string>> => {
      const commands = tuned.filter((one) => one.reason === reason);
      expect(commands.length).toBeGreaterThan(5);
      return new Set(await risksOf(commands));
    };
    expect(await rated('runs a package that nobody chose')).toEqual(new Set(['MEDIUM']));
    expect(await rated('runs what it fetches')).toEqual(new Set(['HIGH']));
    expect(await rated('runs what the project has')).toEqual(new Set(['LOW']));
  });

  test('P10: each HIGH and MEDIUM verdict says why, in a sentence', async () => {
    for (const { command } of everything) {
      const { risk, reasons } = await analyzer.assess(actionWith({ command }), circumstances);
      expect({ command, isSaid: reasons.length > 0 }).toEqual({ command, isSaid: risk !== 'LOW' });
      expect(reasons.filter((reason) => !/^[A-Z].*\.$/.test(reason))).toEqual([]);
    }
  });
});
