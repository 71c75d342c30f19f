import { canonicalJson } from '@retainer/contract/std/canonical-json';
import { invariant } from '@retainer/contract/std/invariant';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import { argumentsDigest } from '../arguments-digest.ts';
import type { CharacterPolicy } from '../character-policy.ts';
import { compileGate } from '../compile-gate.ts';
import type { CallFacts, GateContext, Verdict } from '../verdict.ts';
import { isWordOf, namedFiles } from './named-by-people.ts';
import { factLabel } from './read-so-far.ts';
import { testTools } from '../../../../../test/support/known-tools.ts';
import type { ReadItem, ReadSoFar } from './read-item.ts';

const page: ReadItem = {
  recordId: 'c-page',
  label: { source: { kind: 'Web', name: 'evil.example' }, trust: 'Untrusted', readers: 'Everyone' },
  text: '',
};

function callOf(tool: string, input: object, facts: Partial<CallFacts> = {}): CallFacts {
  const argumentsText = canonicalJson(input);
  const names = { readPaths: [], writePaths: [], domains: [] };
  const digest = argumentsDigest(tool, argumentsText);
  return { tool, effectClass: 1, ...names, argumentsText, argumentsDigest: digest, ...facts };
}

const write = (path: string): CallFacts => callOf('write_file', { path, content: 'x' }, { writePaths: [path] });
const edit = (path: string): CallFacts =>
  callOf('edit_file', { path, edits: [{ old: 'x', new: 'y' }] }, { readPaths: [path], writePaths: [path] });
const keep = (key: string): CallFacts => callOf('memory_write', { key, value: 'x' }, { factKey: key });
const serve = callOf('serve_code', { script: 'x' });

interface Case {
  readonly read?: Partial<ReadSoFar>;
  readonly autonomous?: boolean;
  readonly replaces?: boolean;
  readonly isApproved?: true;
  readonly policy?: CharacterPolicy;
}

function contextOf(call: CallFacts, { read = {}, autonomous = true, replaces = true, isApproved }: Case): GateContext {
  const approval = { requestId: 'a', decision: 'Approve', by: 'ada', reason: 'ok', expiresAtMs: 1 } as const;
  return {
    agent: 'executor',
    autonomous,
    replaces,
    nowMs: 0,
    approvals: isApproved === true ? [{ ...approval, argumentsDigest: call.argumentsDigest }] : [],
    read: { items: [], addresses: [], instructions: [], ...read },
  };
}

function judge(call: CallFacts, given: Case): Verdict {
  const gate = compileGate(given.policy ?? {}, 'digest', testTools);
  invariant(gate.ok, 'compiles');
  return gate.value.tool(call, contextOf(call, given));
}

const granting = (entry: object): CharacterPolicy => ({
  authority: { alone: [{ id: 'a', description: 'a', ...entry }] },
});

type Row = readonly [string, CallFacts, Case, string];
const accepted = 'Accept effect-class/1';

const files: readonly Row[] = [
  ['replaces one that was there', write('plans/a.md'), {}, 'Escalate inside/other-file'],
  ['replaces one after a page', write('plans/a.md'), { read: { items: [page] } }, 'Escalate inside/other-file'],
  ['makes a new one', write('plans/a.md'), { replaces: false }, accepted],
  ['is watched and read nothing untrusted', write('plans/a.md'), { autonomous: false }, accepted],
  [
    'is watched and read a page',
    write('plans/a.md'),
    { autonomous: false, read: { items: [page] } },
    'Escalate inside/other-file',
  ],
  ['the Task names it', write('plans/a.md'), { read: { asked: 'Bring plans/a.md up to date.' } }, accepted],
  ['the Task names its directory', write('plans/a.md'), { read: { asked: 'Keep to: plans/' } }, accepted],
  [
    'the Task names a neighbour',
    write('plans/a.md'),
    { read: { asked: 'See plans/b.md' } },
    'Escalate inside/other-file',
  ],
  ['the run wrote it', write('plans/a.md'), { read: { written: ['plans/a.md'] } }, accepted],
  ['a person approved it', write('plans/a.md'), { isApproved: true }, 'Accept approval/granted'],
  ['the character grants its path', write('plans/a.md'), { policy: granting({ paths: ['plans/**'] }) }, accepted],
  [
    'the character grants the tool, and no path',
    write('plans/a.md'),
    { policy: granting({ tools: ['write_file'] }) },
    'Escalate inside/other-file',
  ],
  ['edits one that was there', edit('plans/a.md'), {}, 'Escalate inside/other-file'],
  ['edits one after a page', edit('plans/a.md'), { read: { items: [page] } }, 'Escalate inside/other-file'],
  ['edits one that the Task names', edit('plans/a.md'), { read: { asked: 'Correct plans/a.md.' } }, accepted],
  ['edits one that the run wrote', edit('plans/a.md'), { read: { written: ['plans/a.md'] } }, accepted],
  ['edits one by approval', edit('plans/a.md'), { isApproved: true }, 'Accept approval/granted'],
  ['edits one below a granted path', edit('plans/a.md'), { policy: granting({ paths: ['plans/**'] }) }, accepted],
];

const facts: readonly Row[] = [
  ['replaces a believed one', keep('payee/acme'), {}, 'Escalate inside/believed-fact'],
  ['keeps a new one', keep('payee/acme'), { replaces: false }, accepted],
  ['the Task names its key', keep('payee/acme'), { read: { asked: 'Correct payee/acme.', items: [page] } }, accepted],
  [
    'the Task names a longer key',
    keep('payee/a'),
    { read: { asked: 'Correct payee/acme.' } },
    'Escalate inside/believed-fact',
  ],
  ['a person approved it', keep('payee/acme'), { isApproved: true }, 'Accept approval/granted'],
];

const pages: readonly Row[] = [
  ['nobody named it', serve, {}, 'Escalate inside/serving'],
  ['the Task names it', serve, { read: { asked: 'Show it with serve_code.' } }, accepted],
  ['the first plan names it', serve, { read: { planned: ['serve_code'], items: [page] } }, accepted],
  ['the first plan names another', serve, { read: { planned: ['write_file'] } }, 'Escalate inside/serving'],
  ['is watched and read nothing untrusted', serve, { autonomous: false }, accepted],
  ['a person approved it', serve, { isApproved: true }, 'Accept approval/granted'],
];

describe('what a cycle may change inside', () => {
  const tables = [
    ['provenance:other-file-asks', 'a file', files],
    ['provenance:believed-fact-asks', 'a fact', facts],
    ['provenance:serving-asks', 'a page', pages],
  ] as const;
  for (const [id, what, rows] of tables)
    for (const [name, call, given, expected] of rows)
      verifies(id, `${what}: ${name}`, () => {
        const { kind, rule } = judge(call, given);
        expect(`${kind} ${rule}`).toBe(expected);
      });

  verifies('provenance:other-file-asks', 'names the source and its record', () => {
    expect(judge(write('a'), { read: { items: [page] } }).reason).toContain('the web (evil.example), record c-page');
    expect(judge(write('a'), { read: { cycleId: 'run-c1' } }).reason).toContain('record run-c1');
  });

  verifies('provenance:other-file-asks', 'is never milder for having read more', () => {
    const path = fc.constantFrom('plans/a.md', 'b', 'src/c.ts');
    const asked = fc.constantFrom('', 'Write plans/a.md', 'src/ only');
    fc.assert(
      fc.property(path, asked, fc.boolean(), (name, words, isWatched) => {
        const given = { read: { asked: words }, ...(isWatched ? { autonomous: false } : {}) };
        const before = judge(write(name), given);
        const after = judge(write(name), { ...given, read: { ...given.read, items: [page] } });
        if (before.kind === 'Escalate') expect(after.kind).toBe('Escalate');
      }),
    );
  });

  verifies('provenance:unnamed-fact-unbelieved', 'a fact that nobody named is kept as not believed', () => {
    const trust = (given: Case, key = 'payee/acme') => {
      const { read, autonomous } = contextOf(keep(key), given);
      invariant(read !== undefined, 'given');
      return factLabel(key, { read, autonomous }).trust;
    };
    expect(trust({})).toBe('Untrusted');
    expect(trust({ read: { asked: 'Keep it under payee/acme.' } })).toBe('Trusted');
    expect(trust({ autonomous: false })).toBe('Trusted');
    expect(trust({ read: { asked: 'Keep it under payee/acme.', items: [page] } })).toBe('Untrusted');
  });
});

describe('what people name', () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ['Write it into out/summary.txt.', 'out/summary.txt', true],
    ['Write it into /workspace/out/summary.txt, please', 'out/summary.txt', true],
    ['Write it into `out/my summary.txt`', 'out/my summary.txt', true],
    ['Write it into out/my summary.txt', 'out/my summary.txt', false],
    ['Write it into out/summary.txt.bak', 'out/summary.txt', false],
    ['Keep to: src/', 'src/deep/a.ts', true],
    ['Keep to: src/**/*.ts', 'src/deep/a.ts', true],
    ['Keep to: src/**/*.ts', 'src/deep/a.md', false],
    ['List the files in inbox.', 'inbox/letter.md', false],
    ['This is **very** important, * and **', 'inbox/letter.md', false],
    ['Everything in ./ and / and **/', 'inbox/letter.md', false],
    ['Keep to: ../src/', 'src/a.ts', false],
  ];
  it.each(cases)('%s: %s %s', (asked, path, isNamed) => {
    const { paths, globs } = namedFiles(asked);
    expect(paths.has(path) || globs.some((glob) => glob.matches(path))).toBe(isNamed);
  });

  it('a word as a whole', () => {
    expect(isWordOf('Keep it under customer/acme.currency.', 'customer/acme.currency')).toBe(true);
    expect(isWordOf('Keep it under customer/acme.currency', 'customer/acme')).toBe(false);
    expect(isWordOf('', 'a')).toBe(false);
  });
});
