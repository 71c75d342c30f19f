/** Writes which manifest fields parts bring into effect, for programs that know no parts. `npm run gen` calls it. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fieldsOfParts } from '@retainer/mind/parts/derived';

const path = fileURLToPath(new URL('../contract/src/api/fields-of-parts.ts', import.meta.url));
const declared = 'export const fieldsOfParts: readonly string[] =';
const names = fieldsOfParts.map((field) => `'${field}'`);
const line = `${declared} [${names.join(', ')}];`;
// As the formatter has it.
const list = line.length <= 120 ? line : `${declared} [\n${names.map((name) => `  ${name},\n`).join('')}];`;
writeFileSync(
  path,
  `/** Generated from the parts by \`npm run gen\`: manifest fields, as \`KIND PATH\`, that have an effect through one of them. */
${list}
`,
);
