import { readFileSync } from 'node:fs';
import { parseForecasts } from './forecast-file.ts';
import type { StoryLine } from '@retainer/mind/part/story';
import { tryNorms, tryPair } from './try-norms.ts';
import { parseNorm } from '@retainer/mind/gate/calculus/norm';
import { pairTable } from '@retainer/mind/gate/calculus/pair-table';
import type { CharacterSpec } from '@retainer/contract/api/character-spec';
import { renderManifestError } from '@retainer/contract/manifest/manifest-error';
import { parseManifests } from '@retainer/contract/manifest/parse-manifests';
import { invariant } from '@retainer/contract/std/invariant';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { renderNormTrial } from './render-norm-trial.ts';
import { renderPairTable } from './render-pair-table.ts';
import { renderPairTrial } from './render-pair-trial.ts';

const golden = (name: string): string => `../../../test/golden/calculus/${name}`;
const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const page = (lines: readonly StoryLine[]): string => `${lines.map(({ text }) => text).join('\n')}\n`;

function trialPage(characterText: string, forecastText: string): string {
  const [first] = parsedCharacters(characterText);
  invariant(first !== undefined, 'one character');
  const forecasts = parseForecasts(forecastText, 'forecasts.yaml', first.spec);
  invariant(forecasts.ok, forecasts.ok ? '' : forecasts.error.map(renderManifestError).join('\n'));
  const { gate, agent } = forecasts.value;
  return page(renderNormTrial(tryNorms(first, forecasts.value), { character: first.metadata.name, gate, agent }));
}

function parsedCharacters(text: string): readonly CharacterSpec[] {
  const parsed = parseManifests(text, 'character.yaml');
  invariant(parsed.ok, parsed.ok ? '' : parsed.error.map(renderManifestError).join('\n'));
  return parsed.value.flatMap((it) => (it.kind === 'CharacterSpec' ? [it.object] : []));
}

describe('the table of norms', () => {
  verifies('calculus:table-printed', 'stands on one page', async () => {
    const table = page(renderPairTable(pairTable('Springdrift'), 'Springdrift'));
    await expect(table).toMatchFileSnapshot(golden('table.txt'));
    expect(Math.max(...table.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120);
  });

  it('holds every scheme', async () => {
    await expect(page(renderPairTable(pairTable('Paper'), 'Paper'))).toMatchFileSnapshot(golden('table-paper.txt'));
  });
});

describe('a pair', () => {
  it.each([
    ['Operational/Ought', 'Legal/Required', 'axiom-6.3-moral-priority', 'alone: Prohibited (Reject)'],
    ['Legal/Ought/Impossible', 'EthicalMoral/Required', 'axiom-6.6-futility', 'alone: Flourishing (Accept)'],
    ['Courtesy/Ought', 'Courtesy/Ought', 'equal-weight-coordinate', 'alone: Flourishing (Accept)'],
    ['Operational/Ought', 'PrivacyData/Ought', 'axiom-6.3-moral-priority', 'alone: Constrained (Modify)'],
  ])('%s against %s ends with %s', (userText, systemText, rule, alone) => {
    const user = parseNorm('Springdrift', userText);
    const system = parseNorm('Springdrift', systemText);
    invariant(user.ok && system.ok, 'norms');
    const lines = renderPairTrial(user.value, system.value, tryPair('Springdrift', user.value, system.value));
    expect(lines.filter(({ text }) => text.startsWith('  yes')).map(({ text }) => text)).toEqual([
      expect.stringContaining(rule),
    ]);
    expect(page(lines)).toContain(`, by ${rule}\n${alone}`);
  });
});

describe('norms on trial', () => {
  verifies('calculus:norms-tried', 'are told with verdict, what decided, every pair, and vetoes', async () => {
    await expect(
      trialPage(read(golden('paper-character.yaml')), read(golden('paper-forecasts.yaml'))),
    ).toMatchFileSnapshot(golden('paper-trial.txt'));
  });

  it('are told with harms, inert commitments and drift', async () => {
    await expect(
      trialPage(read(golden('harm-character.yaml')), read(golden('harm-forecasts.yaml'))),
    ).toMatchFileSnapshot(golden('harm-trial.txt'));
  });
});
