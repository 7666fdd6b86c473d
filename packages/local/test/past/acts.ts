import { ACTS, type Act } from '@conv/testing-harness';
import fc from 'fast-check';

/** Anything that can happen to a conversation, one thing after the other. */
export const acts: fc.Arbitrary<readonly Act[]> = fc.array(
  fc.record({ act: fc.constantFrom(...ACTS), number: fc.nat(60) }),
  { maxLength: 40, size: 'max' },
);
