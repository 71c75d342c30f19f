/** Writes `docs/not-yet.md`. Run by `npm run gen`; a test compares the page with what this would write. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { renderNotYet } from './render-not-yet.ts';

writeFileSync(fileURLToPath(new URL('../../docs/not-yet.md', import.meta.url)), renderNotYet());
