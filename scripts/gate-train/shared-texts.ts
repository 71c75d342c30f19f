/** The texts with licences of others, in place; `README.md` beside them names source and licence of each set. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { clusterNames } from './clusters.ts';
import type { Sample } from './sample.ts';

const Row = z.object({ set: z.string(), text: z.string() });

/** @param directory  holds `attacks.jsonl` and `harmless.jsonl`: one object a line, `set` and `text` */
export function sharedTexts(directory: string): readonly Sample[] {
  const rows = (['attacks', 'harmless'] as const).flatMap((file) =>
    readFileSync(join(directory, `${file}.jsonl`), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => ({ ...Row.parse(JSON.parse(line)), isAttack: file === 'attacks' })),
  );
  const clusters = clusterNames(rows.map(({ text }) => text));
  const carriers = carriersIn(rows.filter(({ isAttack }) => isAttack).map(({ text }) => text));
  const without = rows.map(({ text, ...row }, index) => ({
    ...row,
    text: row.isAttack
      ? sentencesOf(text)
          .filter((it) => !carriers.has(it))
          .join('')
      : text,
    source: `cluster:${clusters[index] ?? index}`,
  }));
  return [...without, ...[...carriers].map((text) => ({ set: 'carrier', source: 'carrier', text, isAttack: false }))];
}

/** Attacks that one harmless document carries: its sentences are no attack, and would count as one by their number. */
const CARRIER_TEXTS_MIN = 100;
const CARRIER_CHARACTERS_MIN = 20;

function sentencesOf(text: string): readonly string[] {
  return text.split(/(?<=[.!?\n])/);
}

function carriersIn(texts: readonly string[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const text of texts)
    for (const sentence of new Set(sentencesOf(text))) counts.set(sentence, (counts.get(sentence) ?? 0) + 1);
  const isCarrier = ([text, count]: readonly [string, number]): boolean =>
    count >= CARRIER_TEXTS_MIN && text.length >= CARRIER_CHARACTERS_MIN;
  return new Set([...counts].filter(isCarrier).map(([text]) => text));
}
