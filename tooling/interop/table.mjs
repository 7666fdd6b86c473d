/**
 * The results as one table for people: pairs in their order, each with the release of OpenHands that took part, what is asserted, and
 * details of what is not ok.
 */
export function table(found, { passed, failed, ms }) {
  const results = found.map((each) => (each.release ? { ...each, pair: `${each.pair} ${each.release}` } : each));
  const width = (key) => Math.max(...results.map((result) => result[key].length));
  const [pairs, names, sentences] = [width('pair'), width('case'), width('asserts')];
  const line = `${'-'.repeat(pairs)}  ${'-'.repeat(names)}  ------  --------  ${'-'.repeat(sentences)}`;
  const rows = results.flatMap((result, index) => {
    const first = results[index - 1]?.pair !== result.pair;
    const state = result.ok ? 'ok    ' : 'NOT OK';
    const time = `${(result.ms / 1000).toFixed(2)} s`.padStart(8);
    const row = `${(first ? result.pair : '').padEnd(pairs)}  ${result.case.padEnd(names)}  ${state}  ${time}  ${result.asserts}`;
    const indent = ' '.repeat(pairs + 2);
    const detail = result.ok ? [] : result.detail.split('\n').map((text) => `${indent}| ${text}`);
    return [...(first ? [line] : []), row, ...detail];
  });
  const head = `${'pair'.padEnd(pairs)}  ${'case'.padEnd(names)}  ${''.padEnd(6)}  ${'time'.padStart(8)}  what holds`;
  return `${[head, ...rows, line].join('\n')}\n${passed} passed, ${failed} failed in ${(ms / 1000).toFixed(1)} s\n`;
}
