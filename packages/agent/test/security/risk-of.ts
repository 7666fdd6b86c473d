import { patternSecurityAnalyzer } from '../../src/index.ts';
import { circumstances } from './corpus/read-corpus.ts';
import { actionWith } from './rate.ts';

const analyzer = patternSecurityAnalyzer();

/** Resolves with the risk of a command in the circumstances of the corpus. */
export async function riskOf(command: string): Promise<string> {
  return (await analyzer.assess(actionWith({ command }), circumstances)).risk;
}
