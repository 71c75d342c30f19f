/** SECURITY.md answers every control of the CIS benchmark that the linter knows of, and names only rules that there are. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CANARY_INTERVAL_SECONDS } from '../../operator/src/desired/sandbox/canary-job.ts';
import { CHECKED_CONTROLS, UNCHECKED_CONTROLS } from '../support/manifest-linter/controls.ts';
import { allRules } from '../support/manifest-linter/manifest-linter.ts';
import { repositoryRoot } from '../support/repository-files.ts';

const page = readFileSync(join(repositoryRoot, 'SECURITY.md'), 'utf8');
const rows = [...page.matchAll(/^\| (5\.[\d.]+)(?:–(5\.[\d.]+))? \| [^|]+ \| (.+) \|$/gm)].map(
  ([, first = '', last = first, answer = '']) => ({ ids: idsBetween(first, last), answer }),
);

/** `5.2.2` to `5.2.4`: three ids of one chapter. */
function idsBetween(first: string, last: string): readonly string[] {
  const chapter = first.slice(0, first.lastIndexOf('.'));
  const [from, to] = [first, last].map((id) => Number(id.slice(id.lastIndexOf('.') + 1))) as [number, number];
  return Array.from({ length: to - from + 1 }, (_, index) => `CIS-${chapter}.${from + index}`);
}

describe('the table of controls in SECURITY.md', () => {
  it('has one answer for each control of section 5', () => {
    const known = [...CHECKED_CONTROLS.CIS, ...Object.keys(UNCHECKED_CONTROLS).filter((id) => id.startsWith('CIS-'))];
    expect(rows.flatMap(({ ids }) => ids).toSorted()).toEqual(known.toSorted());
  });

  it('names the rules that answer a control, and no others', () => {
    for (const { ids, answer } of rows.filter((row) => row.answer.includes('linter `'))) {
      const named = [...answer.matchAll(/`([a-z]+(?:-[a-z]+)+)`/g)].map(([, id]) => id);
      const answering = allRules.filter(({ controls }) => ids.some((id) => controls.includes(id))).map(({ id }) => id);
      expect(answering, ids.join(', ')).toEqual(expect.arrayContaining(named));
    }
  });
});

describe('what opens a network and is no NetworkPolicy', () => {
  it.each(['SECURITY.md', 'docs/operations.md'])('is told in %s, with the time until it is found', (path) => {
    const text = readFileSync(join(repositoryRoot, path), 'utf8').replaceAll(/\s+/g, ' ');
    expect(CANARY_INTERVAL_SECONDS).toBe(6 * 60 * 60);
    expect(text).toMatch(/AdminNetworkPolicies[^.]*Cilium[^.]*Calico[^.]*\. [^.]*next canary[^.]*six hours/);
  });
});
