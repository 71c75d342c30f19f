/**
 * The files of LoCoMo: a list of conversations of many sessions between two people.
 *
 * Source: libraries 3. The format is that of the repository snap-research/locomo.
 */
import { parseJson } from '@retainer/contract/std/parse-json';
import { err, ok } from '@retainer/contract/std/result';
import { z } from 'zod';
import { withEvidence, type Conversation, type ConversationFormat } from './conversation.ts';
import { checked } from './json-lines.ts';

const Turn = z.object({
  speaker: z.string(),
  dia_id: z.string(),
  text: z.string(),
  /** What a shared picture shows. */
  blip_caption: z.string().optional(),
});

const Sample = z.object({
  sample_id: z.string(),
  conversation: z.record(z.string(), z.unknown()),
  qa: z.array(
    z.object({ question: z.string(), category: z.int().min(1).max(5), evidence: z.array(z.string()).default([]) }),
  ),
});

const types = ['', 'multi-hop', 'temporal', 'open-domain', 'single-hop', 'adversarial'];

export const locomo: ConversationFormat = {
  licence: 'LoCoMo (snap-research/locomo, Maharana et al. 2024) is under CC BY-NC 4.0: no commercial use',
  fileEnding: '.json',
  counted: types.slice(1, 5),
  parse: ({ file, text }) => {
    const samples = checked(file, parseJson(text), z.union([z.array(Sample).min(1), Sample.transform((one) => [one])]));
    if (!samples.ok) return Promise.resolve(samples);
    const conversations: Conversation[] = [];
    for (const sample of samples.value) {
      const records = recordsOf(file, sample);
      if (typeof records === 'string') return Promise.resolve(err(records));
      const known = new Map(records.map(({ id }) => [id, [id]]));
      const questions = sample.qa.flatMap(({ question, category, evidence }) =>
        withEvidence(
          { text: question, type: types[category] ?? '' },
          evidence.flatMap((it) => it.split(/[;,\s]+/)).filter((it) => known.has(it)),
          known,
        ),
      );
      const skipped = sample.qa.length - questions.length;
      conversations.push({ id: sample.sample_id, records, questions, skipped });
    }
    return Promise.resolve(ok(conversations));
  },
};

/** @returns the messages; else what is wrong */
function recordsOf(
  file: string,
  { sample_id: id, conversation }: z.infer<typeof Sample>,
): Conversation['records'] | string {
  const sessions = Object.keys(conversation)
    .flatMap((key) => /^session_(\d+)$/.exec(key)?.[1] ?? [])
    .toSorted((a, b) => Number(a) - Number(b));
  const records: Conversation['records'][number][] = [];
  for (const session of sessions) {
    const group = `session_${session}`;
    const turns = checked(`${file}: ${id}: ${group}`, conversation[group], z.array(Turn));
    if (!turns.ok) return turns.error;
    const when = conversation[`${group}_date_time`];
    for (const { dia_id: turn, speaker, text, blip_caption: picture } of turns.value) {
      const said = `${speaker}: ${text}${picture === undefined ? '' : ` (${picture})`}`;
      records.push({ id: turn, text: said, when: typeof when === 'string' ? when : '', group });
    }
  }
  if (new Set(records.map((it) => it.id)).size < records.length)
    return `${file}: ${id}: two turns have the same dia_id`;
  return records.length > 0 ? records : `${file}: ${id}: conversation: has no session_1`;
}
