import { expect, test } from 'vitest';

import { commandRoutes, readPart } from '../../src/rest/index.ts';

const { body } = commandRoutes.setSecurityAnalyzer;

function refusal(analyzer: unknown): unknown {
  const read = body && readPart(body, { security_analyzer: analyzer }, 'body');
  return read?.ok === false ? read.error.detail : undefined;
}

test('P10: a misspelt member of an analyzer is refused with its place, so that no default stays in force', () => {
  const at = ['body', 'security_analyzer'];
  expect(refusal({ kind: 'PatternSecurityAnalyzer', high_pattern: [] })).toMatchObject([
    { loc: [...at, 'high_pattern'], type: 'extra_forbidden' },
  ]);
  const inner = [{ kind: 'LLMSecurityAnalyzer' }, { kind: 'GraySwanAnalyzer', apikey: 'x' }];
  expect(refusal({ kind: 'EnsembleSecurityAnalyzer', analyzers: inner })).toMatchObject([
    { loc: [...at, 'analyzers', 1, 'apikey'], type: 'extra_forbidden' },
  ]);
});

test('an analyzer with every member that OpenHands sends is read', () => {
  const patterns = {
    kind: 'PatternSecurityAnalyzer',
    high_patterns: [['rm', 'removes', 'r1']],
    medium_patterns: [],
    injection_high_patterns: [],
    injection_medium_patterns: [],
  };
  const analyzers = [patterns, { kind: 'PolicyRailSecurityAnalyzer' }, { kind: 'LLMSecurityAnalyzer' }];
  expect(refusal({ kind: 'EnsembleSecurityAnalyzer', analyzers, propagate_unknown: false })).toBeUndefined();
  expect(refusal(null)).toBeUndefined();
});
