/** What the gates of the shipped character cost beside the work of the six examples, by the record of the real program. */
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { repositoryRoot } from '../support/repository-files.ts';
import { endAll, examplesPath, retainer } from '../support/retainer-command.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

/** Gate calls for each call of the work, and their share of all tokens. */
const CALLS_MAX = 0.5;
const TOKENS_MAX = 0.15;

interface Answer {
  readonly kind: string;
  readonly payload: {
    readonly answer?: { readonly usage: Usage };
    readonly usage?: Usage;
    readonly heldFrom?: string;
  };
}

interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

/** Model calls behind each kind of answer: a probe is two. */
const CALLS: Readonly<Record<string, number>> = { ModelAnswered: 1, GateScored: 1, GateProbed: 2 };

const root = temporaryDirectory();
let answers: readonly Answer[] = [];

beforeAll(async () => {
  const manifests = join(root.path, 'manifests');
  await cp(examplesPath, manifests, { recursive: true });
  await cp(join(repositoryRoot, 'manifests/characters/guarded.yaml'), join(manifests, 'character.yaml'));
  const agent = await readFile(join(manifests, 'agent.yaml'), 'utf8');
  await writeFile(join(manifests, 'agent.yaml'), agent.replace('name: careful-analyst', 'name: guarded'));
  const data = join(root.path, 'data');
  await retainer('run', '-f', manifests, '--data', data);
  const shown = await retainer('journal', 'show', data, '-o', 'json');
  answers = shown.stdout
    .trim()
    .split('\n')
    .map((line): Answer => JSON.parse(line))
    .filter(({ kind, payload }) => kind in CALLS && payload.heldFrom === undefined);
});
afterAll(() => {
  endAll();
  return root.remove();
});

function sum(all: readonly Answer[], of: (answer: Answer) => number): number {
  return all.reduce((total, it) => total + of(it), 0);
}

function tokens({ payload }: Answer): number {
  return Object.values(payload.answer?.usage ?? payload.usage ?? {}).reduce((total: number, it) => total + it, 0);
}

describe('the gates of the six examples', () => {
  verifies('gate:cost-of-examples', 'ask at most half as often as the work, for 15 % of the tokens', () => {
    const work = answers.filter(({ kind }) => kind === 'ModelAnswered');
    const gates = answers.filter(({ kind }) => kind !== 'ModelAnswered');
    expect(work.length).toBeGreaterThan(40);
    expect(gates.length).toBeGreaterThan(15);
    expect(sum(gates, ({ kind }) => CALLS[kind] ?? 0) / work.length).toBeLessThanOrEqual(CALLS_MAX);
    expect(sum(gates, tokens) / sum(answers, tokens)).toBeLessThanOrEqual(TOKENS_MAX);
  });
});
