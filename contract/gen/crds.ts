/** Writes `crds/*.yaml` from the kinds. Run by `npm run gen`; a test compares the files with what this would write. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderCrdFiles } from './render-crd-files.ts';

const directory = fileURLToPath(new URL('../../crds/', import.meta.url));
mkdirSync(directory, { recursive: true });
for (const [name, text] of renderCrdFiles()) writeFileSync(path.join(directory, name), text);
