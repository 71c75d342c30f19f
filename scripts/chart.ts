/** Writes the chart's copies: the CRDs, and the table of its values. Run by `npm run gen`. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chartValues, withValuesTable } from './chart-readme.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const chart = join(root, 'charts/retainer');
const copies = join(chart, 'files/crds');

mkdirSync(copies, { recursive: true });
for (const name of readdirSync(join(root, 'crds')).filter((file) => file.endsWith('.retainer.dev.yaml'))) {
  copyFileSync(join(root, 'crds', name), join(copies, name));
}
const readme = join(chart, 'README.md');
const values = chartValues(readFileSync(join(chart, 'values.yaml'), 'utf8'));
writeFileSync(readme, withValuesTable(readFileSync(readme, 'utf8'), values));
