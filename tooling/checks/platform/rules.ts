/** A word of a host that only the seam may use. */
export interface Rule {
  readonly pattern: RegExp;
  readonly found: string;
  readonly write: string;
}

/** Clocks, timers and random numbers of the host. */
export const HOST: readonly Rule[] = [
  {
    pattern: /\bDate\.now\b|\bnew Date\(\)|(?<!new )\bDate\(\)/,
    found: 'reads the wall clock',
    write: 'platform.now()',
  },
  {
    pattern: /(?<![.\w#])performance\.|\bhrtime\b|'node:perf_hooks'/,
    found: 'reads a clock',
    write: 'platform.monotonic()',
  },
  {
    pattern:
      /(?<![.\w#])(?:globalThis\.)?(?:set|clear)(?:Timeout|Interval|Immediate)\b|'node:timers|\bAbortSignal\.timeout\b|\bAtomics\.wait\b/,
    found: 'sets a timer',
    write: 'platform.setTimer, or the timers of @conv/core/platform',
  },
  { pattern: /\bMath\.random\b/, found: 'draws a number', write: 'platform.random()' },
  {
    pattern: /\b(?:randomUUID|randomBytes|randomInt|randomFill|randomFillSync|getRandomValues)\b/,
    found: 'draws an id or a number',
    write: 'platform.id(), or secureRandom of @conv/core/platform for keys',
  },
];

/** The platform of the host where it is no default. */
export const NO_DEFAULT: Rule = {
  pattern: /(?<!(?:=|\?\?) )\bsystemPlatform\b|\bsystemPlatform\.\w+\(/,
  found: 'uses the platform of the host without an option',
  write: 'take `platform` as an option, with systemPlatform as its default at the entry point alone',
};

/** Modules and globals of Node. */
export const NODE: Rule = {
  pattern: /'node:|(?<![.\w#])(?:process|Buffer)\b(?!['"]?\s*[?]?:)|\bNodeJS\.|'undici'|'ws'/,
  found: 'needs Node',
  write: 'language and web APIs, or put it beside a file of the same name for browsers (x.ts, x.browser.ts)',
};
