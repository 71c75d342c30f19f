/**
 * The shipped rules on whole sets of texts: the published one, harmless ones, and attacks made here.
 *
 * `npm run bench:gate-text` prints the figures.
 *
 * Source: reliability-security 4, 7.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { screenText, type Alarm } from '@retainer/mind/gate/text/screen-text';
import { describe, expect } from 'vitest';
import { makeAttacks, type Attack } from '../support/gate-texts/attacks.ts';
import { everydayDomains } from '../support/gate-texts/benign-everyday.ts';
import { heldOutDomains } from '../support/gate-texts/benign-held-out.ts';
import { technicalDomains } from '../support/gate-texts/benign-technical.ts';
import { composeTexts, type ComposedText } from '../support/gate-texts/compose.ts';
import { repositoryRoot } from '../support/repository-files.ts';
import { verifies } from '../verifies.ts';

const alarmOf = (text: string): Alarm => screenText(text, 'Incoming').alarm;
const alarms = (texts: readonly string[]): number => texts.filter((text) => alarmOf(text) !== 'None').length;

interface Labelled {
  readonly text: string;
  readonly is_injection: boolean;
}

/** Beside the repository, because its licence is another one. */
const published = join(repositoryRoot, '../shared/data/gate/adversarial-64.jsonl');

describe.skipIf(!existsSync(published))('the published set (skipped where ../shared/data is not there)', () => {
  verifies('gate-text:published-set', 'is told apart', () => {
    const rows = readFileSync(published, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Labelled);
    const attacks = rows.filter((row) => row.is_injection).map((row) => row.text);
    const harmless = rows.filter((row) => !row.is_injection).map((row) => row.text);
    expect(attacks.length).toBe(39);
    expect(alarms(attacks) / attacks.length).toBeGreaterThanOrEqual(0.95);
    expect(harmless.filter((text) => alarmOf(text) !== 'None')).toEqual([]);
  });
});

describe('harmless texts', () => {
  const isTechnical = ({ domain }: ComposedText): boolean => domain.startsWith('technical');
  const flagged = (texts: readonly ComposedText[]): readonly string[] =>
    texts.filter(({ text }) => alarmOf(text) !== 'None').map(({ text }) => text);

  verifies('gate-text:false-alarms', 'that no rule was tuned on raise at most one alarm in a hundred', () => {
    const texts = composeTexts(heldOutDomains, 220, 7);
    const found = flagged(texts);
    expect(texts.length).toBeGreaterThanOrEqual(1000);
    expect(texts.filter(isTechnical).length * 3).toBeGreaterThanOrEqual(texts.length);
    expect(found.length / texts.length, found.slice(0, 5).join('\n')).toBeLessThanOrEqual(0.01);
  });

  verifies('gate-text:false-alarms', 'that rules were tuned on raise none', () => {
    const texts = composeTexts([...technicalDomains, ...everydayDomains], 160, 1);
    expect(texts.length).toBeGreaterThanOrEqual(1000);
    expect(flagged(texts)).toEqual([]);
  });
});

describe('attacks', () => {
  const seeds = [1, 2, 3, 4, 5];
  const recallOf = (attacks: readonly Attack[]): number =>
    alarms(attacks.map(({ text }) => text)) / Math.max(1, attacks.length);

  verifies('gate-text:held-out', 'with frames and goals that no rule was tuned on are found', () => {
    const attacks = seeds.flatMap((seed) => makeAttacks('HeldOut', seed));
    for (const disguise of new Set(attacks.map((attack) => attack.disguise))) {
      const group = attacks.filter((attack) => attack.disguise === disguise);
      expect(recallOf(group), disguise).toBeGreaterThanOrEqual(0.8);
    }
    expect(recallOf(attacks)).toBeGreaterThanOrEqual(0.95);
  });

  verifies('gate-text:held-out', 'of the development split are found as well', () => {
    expect(recallOf(seeds.flatMap((seed) => makeAttacks('Development', seed)))).toBeGreaterThanOrEqual(0.95);
  });
});
