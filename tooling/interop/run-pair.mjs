import { mkdir } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';

/** The slowest case takes some seconds on two busy cores. */
const CASE_TIMEOUT = 120_000;

/**
 * Opens a pair and runs its cases, one after the other. Resolves with a result for each of them, whatever happens.
 *
 * @returns {Promise<{ pair: string, case: string, ok: boolean, ms: number, asserts: string, detail?: string }[]>}
 */
export async function runPair({ pair, cases, open, folder, reference, log }) {
  const results = [];
  let opened;
  let failure;
  try {
    if (open === undefined) throw new Error('there is no such pair');
    await mkdir(folder, { recursive: true });
    opened = await open({ folder, reference });
  } catch (error) {
    failure = error;
  }
  for (const each of cases) {
    const started = performance.now();
    const error = failure ?? (await outcome(() => opened.run(each.case, each.asserts)));
    const ms = Math.round(performance.now() - started);
    const result = { pair, case: each.case, ok: error === undefined, ms, asserts: each.asserts };
    results.push(error === undefined ? result : { ...result, detail: textOf(error) });
    log(`${error === undefined ? 'ok    ' : 'NOT OK'}  ${pair}  ${each.case}`);
    // A case without an end has the client of the pair for itself.
    if (error instanceof CaseTimeout) failure = new Error(`not run, since ${each.case} has no end`);
  }
  await outcome(async () => opened?.close());
  return results;
}

/** Returns the message of an error with those of its causes. `fetch` says in its cause what has failed. */
function textOf(error) {
  const text = String(error?.message ?? error);
  return error?.cause === undefined ? text : `${text}: ${textOf(error.cause)}`;
}

class CaseTimeout extends Error {}

async function outcome(work) {
  const timer = new AbortController();
  const late = setTimeout(CASE_TIMEOUT, undefined, { signal: timer.signal, ref: false }).then(() => {
    throw new CaseTimeout(`not done after ${CASE_TIMEOUT / 1000} s`);
  });
  late.catch(() => {});
  try {
    await Promise.race([work(), late]);
    return undefined;
  } catch (error) {
    return error ?? new Error('rejected with nothing');
  } finally {
    timer.abort();
  }
}
