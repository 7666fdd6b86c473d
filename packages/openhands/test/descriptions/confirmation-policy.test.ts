import { expect, test } from 'vitest';

import { policyDescriptionSchema } from '../../src/descriptions/confirmation-policy.ts';
import { commandRoutes, readPart } from '../../src/rest/index.ts';

const { body } = commandRoutes.setConfirmationPolicy;

function refusal(policy: unknown): unknown {
  const read = body && readPart(body, { policy }, 'body');
  return read?.ok === false ? read.error.detail : undefined;
}

test('P10: an invalid threshold is refused with its place', () => {
  const threshold = ['body', 'policy', 'threshold'];
  expect(refusal({ kind: 'ConfirmRisky', threshold: 'UNKNOWN' })).toMatchObject([{ loc: threshold }]);
  expect(refusal({ kind: 'ConfirmRisky', threshold: 'SEVERE' })).toMatchObject([{ loc: threshold }]);
});

test('P10: a misspelt member is refused with its place, because it would leave the default in force', () => {
  expect(refusal({ kind: 'ConfirmRisky', treshold: 'LOW' })).toMatchObject([
    { loc: ['body', 'policy', 'treshold'], type: 'extra_forbidden' },
  ]);
  expect(refusal({ kind: 'AlwaysConfirm', threshold: 'LOW' })).toMatchObject([
    { loc: ['body', 'policy', 'threshold'], type: 'extra_forbidden' },
  ]);
});

test('a policy is read with its defaults, and a flag may be a text', () => {
  expect(body?.parse({ policy: { kind: 'ConfirmRisky', confirm_unknown: 'false' } })).toEqual({
    policy: { kind: 'ConfirmRisky', threshold: 'HIGH', confirm_unknown: false },
  });
});

test('a policy that a server tells of is kept with members that are not known here', () => {
  const told = [
    { kind: 'NeverConfirm', since: 'today' },
    { kind: 'AskTwice', times: 2 },
  ];
  expect(told.map((policy) => policyDescriptionSchema.parse(policy))).toEqual(told);
});
