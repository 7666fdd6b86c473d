import type { SecurityAnalyzer } from '@conv/core';
import { executableCorpus } from './action-corpora.ts';
import { catastrophicDelete } from './deletion-rules.ts';
import { rawDiskOperation } from './disk-rules.ts';
import { fetchToExec } from './execution-rules.ts';
import type { Rule } from './rule.ts';
import { assessment, type Finding, scanScripts } from './scan.ts';

const RAILS: readonly Rule[] = [fetchToExec, rawDiskOperation, catastrophicDelete];

const CUT: Finding = { id: 'cut', risk: 'MEDIUM', reason: 'Is too long to be looked at as a whole.' };

/**
 * Three rules about what runs, for what is never right: `fetch-to-exec`, `raw-disk-op`, `catastrophic-delete`. `HIGH` when
 * one is broken, with its name in the reason, else `LOW`; `MEDIUM` when the action is too long to be seen whole.
 */
export function policyRailSecurityAnalyzer(): SecurityAnalyzer {
  return {
    describe: () => ({ kind: 'PolicyRailSecurityAnalyzer' }),
    assess: (action) => {
      const corpus = executableCorpus(action);
      const findings = [...scanScripts(corpus, RAILS), ...(corpus.isCut ? [CUT] : [])];
      return assessment(findings, ({ id, reason }) => `${id}: ${reason}`);
    },
  };
}
