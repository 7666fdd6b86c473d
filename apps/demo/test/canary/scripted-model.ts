import { say, type ModelRequest, type Turn, type TurnFunction } from '@conv/testing-model-server';

import type { Carrier } from './carrier.ts';

/** A model that plays these turns in order, and writes a summary whenever it is asked for one. */
export interface ScriptedModel {
  readonly script: TurnFunction;
  /** The number of turns that no request has taken. */
  readonly remaining: number;
}

/** Makes the model. Before each turn `look` is called, while the client waits. */
export function scriptedModel(
  turns: readonly (Turn | TurnFunction)[],
  carrier: Carrier,
  look: () => void,
): ScriptedModel {
  const waiting = [...turns];
  return {
    script: async (request, context) => {
      look();
      if (isForSummary(request)) return say(carrier.all('condensed'));
      const turn = waiting.shift();
      if (turn === undefined) throw new Error('the turns are used up');
      return typeof turn === 'function' ? turn(request, context) : turn;
    },
    get remaining() {
      return waiting.length;
    },
  };
}

/** Condensers ask without tools, and for no pieces, about a record of events. */
function isForSummary({ tools, messages }: ModelRequest): boolean {
  return tools.length === 0 && /^<(notes|record)>/.test(messages.at(-1)?.text ?? '');
}
