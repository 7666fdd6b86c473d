import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { compareReleases } from '../interop/compare-releases.mjs';
import { KNOWN_DIFFERENCES } from '../interop/known-differences.mjs';
import { ourMembers } from '../interop/our-members.mjs';
import { answerTo, membersAnswer } from '../interop/release-answers.mjs';
import { HEAD, releasePage } from '../interop/release-page.mjs';
import { servedRelease } from '../interop/served-release.mjs';
import { compareVersions, parseReleases, recordedRelease, releaseLines } from '../interop/releases.mjs';

describe('releases of OpenHands', () => {
  test('a list of releases names each of them once', () => {
    expect(parseReleases('1.43.1, newest,1.43.1')).toEqual(['1.43.1', 'newest']);
  });

  test.each(['', '1.43', 'latest', '1.43.1,--index-url', '1.58.0.dev1'])('the list %j is refused by name', (list) => {
    expect(() => parseReleases(list)).toThrow(/expected releases of OpenHands .* found "/);
  });

  test('versions are ordered by their numbers, not by their letters', () => {
    const sorted = ['1.58.0', '1.9.3', '1.58.10', '1.58.2'].toSorted(compareVersions);
    expect(sorted).toEqual(['1.9.3', '1.58.0', '1.58.2', '1.58.10']);
  });
});

describe('the comparison of two releases', () => {
  const before = {
    routes: { 'GET /api/a': { query: ['page'], body: [], answer: ['id'] }, 'GET /api/old': {} },
    sockets: ['/sockets/events'],
    events: { MessageEvent: ['id'] },
    folder: { names: ['base_state.json'] },
  };

  test('the comparison of two releases tells new and removed names, and members of names that both have', () => {
    const after = {
      routes: { 'GET /api/a': { query: ['page', 'limit'], body: [], answer: [] } },
      sockets: ['/sockets/events', '/sockets/session'],
      events: { MessageEvent: ['id'], SecurityAnalysisEvent: ['risks'] },
      folder: { names: ['base_state.json', '.marker'] },
    };
    expect(compareReleases(before, after)).toEqual([
      { part: 'routes', name: 'GET /api/a', change: 'members', added: ['query limit'], removed: ['answer id'] },
      { part: 'routes', name: 'GET /api/old', change: 'removed' },
      { part: 'sockets', name: '/sockets/session', change: 'added' },
      { part: 'events', name: 'SecurityAnalysisEvent', change: 'added' },
      { part: 'folder', name: 'names', change: 'members', added: ['.marker'], removed: [] },
    ]);
  });

  test('the comparison of two releases tells nothing about releases that are alike', () => {
    expect(compareReleases(before, structuredClone(before))).toEqual([]);
  });
});

describe('the page of releases', () => {
  test('the page of releases says what is done with each new thing, and names new and removed members', () => {
    const changes = [
      { part: 'routes', name: 'GET /api/a', change: 'added' as const },
      { part: 'routes', name: 'GET /api/canvas-extensions', change: 'added' as const },
      { part: 'sockets', name: '/app-backends/{name}', change: 'added' as const },
      { part: 'routes', name: 'GET /api/of-tomorrow', change: 'added' as const },
      { part: 'events', name: 'KnownEvent', change: 'added' as const },
      { part: 'events', name: 'EventOfTomorrow', change: 'added' as const },
      { part: 'schemas', name: 'LLM', change: 'members' as const, added: ['tier'], removed: ['level'] },
      { part: 'schemas', name: 'LLM-Input', change: 'members' as const, added: ['model'] },
      { part: 'routes', name: 'GET /api/a', change: 'members' as const, added: ['answer b', 'query c'] },
      { part: 'settings', name: 'OH_*', change: 'members' as const, added: ['conversation_runtime', 'enable_browser'] },
    ];
    const page = releasePage(
      [{ version: '1.60.0', changes }],
      {
        routes: new Map([['GET /api/a', new Set(['answer b', 'query c'])]]),
        schemas: new Map([['LLM', new Set(['model'])]]),
        served: new Set(['GET /api/a', 'GET /api/canvas-extensions']),
        typed: new Set(['KnownEvent']),
      },
      { version: '1.60.0', names: ['POST /v1/responses', 'GET /api/of-tomorrow', 'GET /api/a: answer d'] },
    );
    for (const line of [
      '## 1.60.0',
      '- `POST /v1/responses`: Served by `conv-server`, with `@conv/openai`.',
      '- `GET /api/of-tomorrow`: Not known here.',
      '- `GET /api/a`, `answer d`: Not known here.',
      '- new: `GET /api/a`. Served.',
      '- new: `GET /api/canvas-extensions`. Left out: answers as where no extension is installed. Extensions of Agent Canvas are code that runs in browsers.',
      '- new: `/app-backends/{name}`. Left out: is refused as where programs have no address. Programs of extensions are not run here.',
      '- new: `GET /api/of-tomorrow`. Answers 404, as a server of an earlier release.',
      '- new: `KnownEvent`. Typed.',
      '- new: `EventOfTomorrow`. Kept, passed on and shown with its name.',
      '- `LLM`: new `tier`; removed `level`. Not known here: `tier`.',
      '- `LLM-Input`: new `model`. Typed.',
      '- `GET /api/a`: new `answer b`, `query c`. Served.',
      '- `OH_*`: new `conversation_runtime`, `enable_browser`. `conversation_runtime` is read. `enable_browser` has no effect: agents of this server have no browser.',
    ])
      expect(page).toContain(`\n${line}\n`);
  });
});

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

const ours = ourMembers();

test('the committed page begins as `npm run openhands:diff` writes it', () => {
  const page = read('docs/openhands.md');
  expect(page.slice(0, page.indexOf('\n## Everything else of '))).toBe(HEAD);
});

test('a member of a route without a reason of its own is not explained by the reason of another one', () => {
  const route = 'POST /v1/responses';
  const header = (name: string): string => `header X-OpenHands-Observability-${name}`;
  const said = (...added: readonly string[]): string => membersAnswer('routes', route, added, ours);
  expect(said(header('Tags'), header('Name'))).toBe(said(header('Tags')));
  expect(said(header('Tags'))).toMatch(/^Ignored: /);
  expect(said(header('Tags'), 'body mood')).toBe(`Not known here: \`${header('Tags')}\`, \`body mood\``);
});

test('the committed page says what is done now with each new route, socket and event', () => {
  const { served, typed } = ours;
  const parts: Readonly<Record<string, string>> = { Routes: 'routes', Sockets: 'sockets', Events: 'events' };
  const lines = read('docs/openhands.md')
    .split('\n### ')
    .flatMap((section) => {
      const part = parts[section.split('\n')[0] ?? ''];
      const news = [...section.matchAll(/^- new: `(.+)`\. (.+)$/gm)];
      return part === undefined ? [] : news.map(([, name = '', said = '']) => ({ part, name, said }));
    });
  expect(lines.length).toBeGreaterThan(30);
  expect(lines.filter(({ part, name, said }) => answerTo(part, name, served, typed) !== said)).toEqual([]);
});

const TITLES: Readonly<Record<string, string>> = {
  Routes: 'routes',
  'Objects of requests and answers': 'schemas',
  'Files of a folder': 'folder',
  Settings: 'settings',
};

test('the committed page says what is done now with each new member, and none is unknown', () => {
  const lines = read('docs/openhands.md')
    .split('\n### ')
    .flatMap((section) => {
      const part = TITLES[section.split('\n')[0] ?? ''];
      const news = [
        ...section.matchAll(/^- `([^`]+)`: new ((?:`[^`]+`(?:, )?)+)(?:; removed (?:`[^`]+`(?:, )?)+)?\. (.+)\.$/gm),
      ];
      return part === undefined
        ? []
        : news.map(([, name = '', added = '', said = '']) => ({
            part,
            name,
            added: added.match(/[^`, ][^`]*(?=`)/g) ?? [],
            said,
          }));
    });
  expect(lines.length).toBeGreaterThan(60);
  expect(lines.filter(({ part, name, added, said }) => membersAnswer(part, name, added, ours) !== said)).toEqual([]);
  expect(read('docs/openhands.md')).not.toContain('Not known here');
});

test('each difference that a case of the matrix expects is explained, and each explanation is of a case', () => {
  const cases = JSON.parse(read('tooling/interop/cases.json')) as Readonly<
    Record<string, Readonly<Record<string, string>>>
  >;
  const explained = new Set(
    KNOWN_DIFFERENCES.flatMap(({ pair, cases: names }) => names.map((name) => `${pair}/${name}`)),
  );
  const known = Object.entries(cases).flatMap(([pair, own]) => Object.keys(own).map((name) => `${pair}/${name}`));
  expect([...explained].filter((name) => !known.includes(name))).toEqual([]);
  const expected = Object.entries(cases['our-client/openhands-server'] ?? {}).filter(([, sentence]) =>
    /UNSUPPORTED|their server/.test(sentence),
  );
  expect(
    expected.map(([name]) => name).filter((name) => !explained.has(`our-client/openhands-server/${name}`)),
  ).toEqual([]);
  expect(expected.length).toBeGreaterThan(5);
});

describe('the release that the server reports', () => {
  const page = (older: string, newer: string): string =>
    `# Releases\n\n## 1.60.0\n\n### Routes\n\n- new: \`GET /b\`. ${newer}\n\n## 1.59.0\n\n### Routes\n\n- new: \`GET /a\`. ${older}\n- removed: \`GET /c\`\n`;

  test('the release that the server reports is the newest with every new route and socket served', () => {
    expect(servedRelease(page('Served.', 'Served.'))).toBe('1.60.0');
    expect(servedRelease(page('Left out: answers as without it. Not here.', 'Answers 404. Not here.'))).toBe('1.59.0');
    expect(servedRelease(page('Answers 404. Not here.', 'Served.'))).toBe('1.43.1');
    expect(() => servedRelease('# Releases\n')).toThrow('expected sections of releases');
  });

  test('the reported release follows from the committed page', () => {
    const [, reported] =
      /PROTOCOL_VERSION = '(.+)'/.exec(read('packages/server/src/routes/serve-server-info.ts')) ?? [];
    expect(reported).toBe(servedRelease(read('docs/openhands.md')));
  });
});

describe('the daily look for a release', () => {
  test('the daily look compares the newest release of the index with the newest one of the page', () => {
    const page = '# Releases\n\n## 1.58.2\n\n## 1.9.0\n';
    expect(recordedRelease(page)).toBe('1.58.2');
    expect(releaseLines('1.58.2', ['1.9.0', '1.58.10', '1.58.2'])).toBe(
      'recorded=1.58.2\nnewest=1.58.10\nappeared=true\n',
    );
    expect(releaseLines('1.58.2', ['1.58.0'])).toBe('recorded=1.58.2\nnewest=1.58.2\nappeared=false\n');
  });

  test('the daily look for a release fails for a page that has no release', () => {
    expect(() => recordedRelease('# Releases\n')).toThrow('expected a section of a release');
    expect(recordedRelease(read('docs/openhands.md'))).toMatch(/^1\.\d+\.\d+$/);
  });

  test('the daily look for a release has a workflow whose commands are scripts of this project', () => {
    const workflow = read('.github/workflows/openhands-releases.yml');
    const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: object };
    const named = [...workflow.matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(([, name]) => name);
    expect(named).toEqual(['openhands:diff', 'interop:releases']);
    for (const name of named) expect(scripts).toHaveProperty([String(name)]);
    for (const [, file = ''] of workflow.matchAll(/node (\S+\.mjs)/g)) expect(read(file)).toContain('releaseLines');
  });
});
