/** Texts that this repository's tests hold, of which nothing is learnt and by which nothing is set. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeAttacks } from '../../test/support/gate-texts/attacks.ts';
import { heldOutDomains } from '../../test/support/gate-texts/benign-held-out.ts';
import { composeTexts } from '../../test/support/gate-texts/compose.ts';
import { repositoryRoot } from '../../test/support/repository-files.ts';
import type { Sample } from './sample.ts';

const TEXT_CHARACTERS = 4096;
/** This repository's own documentation tells of attacks and quotes them. */
const pages = [
  'README.md',
  'SECURITY.md',
  'docs/gates.md',
  'docs/gates-reference.md',
  'docs/architecture.md',
  'docs/cli.md',
  'docs/operations.md',
];

export function otherTexts(): Readonly<Record<string, readonly Sample[]>> {
  const sample = (text: string, isAttack: boolean): Sample => ({ set: 'other', source: 'other', text, isAttack });
  return {
    'attacks of the tests, held out': [1, 2, 3, 4, 5]
      .flatMap((seed) => makeAttacks('HeldOut', seed))
      .map(({ text }) => sample(text, true)),
    'harmless texts of the tests, held out': composeTexts(heldOutDomains, 220, 7).map(({ text }) =>
      sample(text, false),
    ),
    'this documentation, in pieces of 4 KiB': pages
      .flatMap((page) => piecesOf(readFileSync(join(repositoryRoot, page), 'utf8')))
      .map((text) => sample(text, false)),
  };
}

function piecesOf(text: string): readonly string[] {
  const count = Math.ceil(text.length / TEXT_CHARACTERS);
  return Array.from({ length: count }, (_, at) => text.slice(at * TEXT_CHARACTERS, (at + 1) * TEXT_CHARACTERS));
}
