import { describe, expect } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import { files, labelOfFiles, labelOfNames, trustOf, type FileRow } from './files.ts';

const [A, B, C] = ['a', 'b', 'c'].map((it) => it.repeat(64));

type Event = readonly [kind: string, payload: Record<string, unknown>];

const recorded = (path: string, digest = A, trusted = true, why = 'Write'): Event => [
  'FileRecorded',
  { path, digest, sizeBytes: 1, trusted, why },
];
const believed = (path: string, digest = A, trusted = true): Event => [
  'FileTrusted',
  { path, digest, sizeBytes: 1, trusted, by: 'ada', reason: 'I read it.' },
];

function folded(events: readonly Event[]): Map<string, FileRow> {
  const state = files.start();
  for (const [seq, [kind, payload]] of events.entries())
    files.take(state, {
      store: 'file',
      kind,
      seq,
      timeMs: seq,
      payload: payload as never,
      runId: 'r',
      cycleId: 'r-c1',
    });
  return state;
}

describe('trust in a file', () => {
  const table: readonly (readonly [what: string, events: readonly Event[], digest: string | undefined, is: string])[] =
    [
      ['nobody recorded it', [], A, 'Untrusted'],
      ['it was written in trust', [recorded('f')], A, 'Trusted'],
      ['other bytes stand there', [recorded('f')], B, 'Untrusted'],
      ['nobody knows what stands there', [recorded('f')], undefined, 'Untrusted'],
      ['a tainted run wrote it', [recorded('f', A, false)], A, 'Untrusted'],
      ['a tainted run wrote over it', [recorded('f'), recorded('f', B, false, 'Program')], B, 'Untrusted'],
      ['what a tainted run wrote over stands again', [recorded('f'), recorded('f', B, false)], A, 'Untrusted'],
      ['it was written again in trust', [recorded('f', A, false), recorded('f', B)], B, 'Trusted'],
      ['a seed is not to be believed', [recorded('f', A, false, 'Seed')], A, 'Untrusted'],
      ['it is gone', [recorded('f'), ['FileForgotten', { path: 'f' }]], A, 'Untrusted'],
      ['a person believes these bytes', [recorded('f', A, false), believed('f')], A, 'Trusted'],
      ['a person believes other bytes', [recorded('f', A, false), believed('f', C)], A, 'Untrusted'],
      ['a person believes it no longer', [recorded('f'), believed('f', A, false)], A, 'Untrusted'],
      ['a tainted run wrote after the person', [believed('f'), recorded('f', A, false)], A, 'Untrusted'],
      ['another file is trusted', [recorded('g')], A, 'Untrusted'],
    ];
  for (const [what, events, digest, is] of table)
    verifies('provenance:files-labelled', `is ${is} where ${what}`, () => {
      expect(trustOf(folded(events), { path: 'f', digest })).toBe(is);
    });

  const linked = (trusted = true, digest = A): Event => [
    'FileRecorded',
    { path: 'f', digest, isLink: true, sizeBytes: 1, trusted, why: 'Program' },
  ];
  const links: readonly (readonly [what: string, events: readonly Event[], isLink: boolean, is: string])[] = [
    ['a clean run made it', [linked()], true, 'Trusted'],
    ['a tainted run made it', [linked(false)], true, 'Untrusted'],
    ['it leads elsewhere now', [linked(true, B)], true, 'Untrusted'],
    ['a file with its text stands there', [linked()], false, 'Untrusted'],
    ['it stands where a file with its text was', [recorded('f')], true, 'Untrusted'],
    ['it is gone', [linked(), ['FileForgotten', { path: 'f' }]], true, 'Untrusted'],
    ['a clean run wrote a file in its place', [linked(), recorded('f')], true, 'Untrusted'],
    ['a tainted run made it where a trusted file was', [recorded('f'), linked(false)], true, 'Untrusted'],
  ];
  for (const [what, events, isLink, is] of links)
    verifies('provenance:links-labelled', `is ${is} in a link where ${what}`, () => {
      expect(trustOf(folded(events), { path: 'f', digest: A, isLink })).toBe(is);
    });

  verifies('provenance:links-labelled', 'keeps a link a link in its cached form', () => {
    const again = files.start();
    files.restore(again, JSON.parse(JSON.stringify(files.keep(folded([linked()])))));
    expect(trustOf(again, { path: 'f', digest: A, isLink: true })).toBe('Trusted');
    expect(trustOf(again, { path: 'f', digest: A })).toBe('Untrusted');
  });

  verifies('provenance:files-labelled', 'joins to the worst of all files, and names it', () => {
    const known = folded([recorded('f'), recorded('g'), recorded('h', A, false)]);
    const seen = (paths: string) => Array.from(paths, (path) => ({ path, digest: A }));
    expect(labelOfFiles(known, seen('fg'))).toMatchObject({ trust: 'Trusted', readers: ['owner'] });
    expect(labelOfFiles(known, seen('fhg'))).toMatchObject({ trust: 'Untrusted', source: { name: 'h' } });
    expect(labelOfFiles(known, []).trust).toBe('Trusted');
  });

  verifies('provenance:files-labelled', 'of names is that of who chose them', () => {
    const known = folded([recorded('src/lib/f'), recorded('evil/h', A, false)]);
    expect(labelOfNames(known, ['src', 'src/lib', 'src/lib/f']).trust).toBe('Trusted');
    for (const path of ['evil', 'evil/h', 'src/other', 'sr'])
      expect(labelOfNames(known, ['src', path]), path).toMatchObject({ trust: 'Untrusted', source: { name: path } });
  });

  verifies('provenance:files-labelled', 'comes back from its cached form', () => {
    const state = folded([recorded('f'), recorded('g', B, false), believed('h', C)]);
    const kept = files.keep(state);
    const again = files.start();
    expect(kept !== undefined && files.restore(again, JSON.parse(JSON.stringify(kept)))).toBe(true);
    expect(again).toEqual(state);
    expect(again.get('f')).toMatchObject({ runId: 'r', cycleId: 'r-c1', why: 'Write' });
    expect(again.get('h')).toMatchObject({ why: 'Person' });
    expect(again.get('h')?.runId).toBeUndefined();
  });
});
