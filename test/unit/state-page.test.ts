import { readFileSync } from 'node:fs';
import { sensorium } from '@retainer/mind/assemble/curator/sensorium';
import { describe, expect } from 'vitest';
import { fullest } from '../support/selves.ts';
import { exampleState } from '../support/state-example.ts';
import { verifies } from '../verifies.ts';

const page = readFileSync('docs/state.md', 'utf8');

describe('the page on what an agent knows of itself', () => {
  verifies('state:page', 'shows an example that the program writes', () => {
    expect(page).toContain(`\`\`\`xml\n${exampleState()}\n\`\`\``);
  });

  verifies('state:page', 'tells of every section, in the order of the sensorium', () => {
    const lines = sensorium(fullest().view, [{ slot: 'cases', items: 1 }]).split('\n');
    const depthOf = { count: 0 };
    const sections = lines.flatMap((line): readonly string[] => {
      const [, end = '', name = ''] = /^<(\/?)(\w+)/.exec(line) ?? [];
      if (end === '/') depthOf.count -= 1;
      const found = end === '' && depthOf.count === 1 ? [name] : [];
      if (end === '' && !line.endsWith('/>')) depthOf.count += 1;
      return found;
    });
    const rows = [...page.matchAll(/^\| (`\w+`(?:, `\w+`)*) \|/gm)].flatMap(
      ([, names = '']) => names.match(/\w+/g) ?? [],
    );
    expect(rows).toEqual([...new Set(sections)]);
  });
});
