import { createHash } from 'node:crypto';

import type { PatternAutomaton } from './automaton.ts';
import { PatternLayers } from './pattern-layers.ts';
import { PatternSet } from './pattern-set.ts';

/** Automata of maskers by a hash of their values, as long as a masker uses them. */
const shared = new Map<string, WeakRef<PatternAutomaton>>();

const unused = new FinalizationRegistry<string>((key) => {
  if (shared.get(key)?.deref() === undefined) shared.delete(key);
});

/**
 * Returns the automaton of these values. Maskers with the same values get the same one: a server hides its keys in every conversation, and the automaton
 * of one key takes more memory than the rest of an idle conversation.
 */
export function sharedAutomaton(values: Iterable<string>): PatternAutomaton {
  const sorted = [...values].toSorted();
  const key = createHash('sha256').update(JSON.stringify(sorted)).digest('base64');
  const known = shared.get(key)?.deref();
  if (known) return known;
  const made = new PatternLayers().with(patternsOf(sorted));
  shared.set(key, new WeakRef(made));
  unused.register(made, key);
  return made;
}

/** Returns the patterns of these values. */
export function patternsOf(values: Iterable<string>): PatternSet {
  const patterns = new PatternSet();
  for (const value of values) patterns.add(value);
  return patterns;
}
