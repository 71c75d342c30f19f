import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { beam } from './parse-beam.ts';
import { parseCases, parseQueries } from './parse-cases.ts';
import { locomo } from './parse-locomo.ts';

const lines = (...rows: readonly unknown[]): string =>
  rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row))).join('\n');
const nothingBeside = (): Promise<undefined> => Promise.resolve(undefined);

describe('cases and queries', () => {
  const said = lines({ case_id: 'x', problem: { user_input: 'The pod ran out of memory' } });

  it('need no more than a text', () => {
    const cases = parseCases('cases.jsonl', said);
    if (!cases.ok) throw new Error(cases.error.join());
    expect(cases.value.get('x')).toMatchObject({ text: 'The pod ran out of memory', keywords: [], domain: '' });
    const queries = parseQueries('q.jsonl', lines({ query_id: 'q', text: 'RAM', relevant_ids: ['x'] }), cases.value);
    expect(queries).toMatchObject({ ok: true, value: [{ problem: { text: 'RAM' }, difficulty: 'all' }] });
  });

  const faults: readonly (readonly [string, string, RegExp])[] = [
    ['no JSON', lines({ case_id: 'x', problem: {} }, '', '{"case_id":'), /^cases\.jsonl:3: is no JSON$/],
    [
      'a field of another kind',
      lines({ case_id: 'x', problem: { keywords: 'rent' } }),
      /^cases\.jsonl:1: problem\.keywords: /,
    ],
    ['no line', '\n\n', /^cases\.jsonl: has no line$/],
    [
      'an id twice',
      lines({ case_id: 'x', problem: {} }, { case_id: 'x', problem: {} }),
      /two cases have the same case_id/,
    ],
  ];
  for (const [name, text, reason] of faults)
    verifies('recall:bench', `are refused with file and line: ${name}`, () => {
      expect(parseCases('cases.jsonl', text)).toEqual({ ok: false, error: [expect.stringMatching(reason) as string] });
    });

  verifies('recall:bench', 'are refused if a query names a case that is not there', () => {
    const query = lines({ query_id: 'q7', text: 'RAM', relevant_ids: ['y'] });
    expect(parseQueries('q.jsonl', query, new Map())).toEqual({
      ok: false,
      error: ['q.jsonl: query q7: no case has the id y'],
    });
  });
});

describe('LoCoMo', () => {
  const sample = {
    sample_id: 'conv-1',
    conversation: {
      speaker_a: 'Ann',
      session_10_date_time: '9 May 2026',
      session_10: [{ speaker: 'Ann', dia_id: 'D10:1', text: 'Look!', blip_caption: 'a red kite' }],
      session_2: [{ speaker: 'Bob', dia_id: 'D2:1', text: 'Hello.' }],
    },
    qa: [
      { question: 'What was shown?', answer: 'a kite', evidence: ['D10:1; D2:1'], category: 1 },
      { question: 'Who?', evidence: ['D', 'D2:1'], category: 5 },
      { question: 'Whence?', evidence: [], category: 3 },
    ],
  };

  it('becomes messages in the order of sessions, and questions with evidence', async () => {
    const parsed = await locomo.parse({ file: 'f.json', text: JSON.stringify([sample]) }, nothingBeside);
    expect(parsed).toEqual({
      ok: true,
      value: [
        {
          id: 'conv-1',
          records: [
            { id: 'D2:1', text: 'Bob: Hello.', when: '', group: 'session_2' },
            { id: 'D10:1', text: 'Ann: Look! (a red kite)', when: '9 May 2026', group: 'session_10' },
          ],
          questions: [
            { text: 'What was shown?', type: 'multi-hop', evidence: new Set(['D10:1', 'D2:1']) },
            { text: 'Who?', type: 'adversarial', evidence: new Set(['D2:1']) },
          ],
          skipped: 1,
        },
      ],
    });
  });

  const faults: readonly (readonly [string, string, RegExp])[] = [
    ['no JSON', '[', /^f\.json: is no JSON/],
    ['another format', '{"chat": []}', /^f\.json: /],
    ['no session', JSON.stringify({ ...sample, conversation: {} }), /conv-1: conversation: has no session_1/],
    [
      'a turn without text',
      JSON.stringify({ ...sample, conversation: { session_1: [{ speaker: 'A' }] } }),
      /conv-1: session_1: \[0\]\.dia_id/,
    ],
  ];
  for (const [name, text, reason] of faults)
    verifies('recall:bench', `is refused with the place of the fault: ${name}`, async () => {
      expect(await locomo.parse({ file: 'f.json', text }, nothingBeside)).toEqual({
        ok: false,
        error: expect.stringMatching(reason) as string,
      });
    });
});

describe('BEAM', () => {
  const chat = [
    {
      batch_number: 1,
      time_anchor: 'March-15-2024',
      turns: [
        [
          { role: 'user', id: 0, content: 'My code is cobalt. ->-> 1,2' },
          { role: 'assistant', id: 1, content: 'Noted.' },
        ],
        [{ role: 'user', id: 2, content: 'Thanks.', time_anchor: 'March-16-2024' }],
      ],
    },
    { batch_number: 2, turns: [[{ role: 'user', id: 3, content: 'It is azure now.' }]] },
  ];
  const probes = {
    knowledge_update: [{ question: 'What is my code?', source_chat_ids: { original_info: [0], updated_info: [3] } }],
    abstention: [{ question: 'Who am I?', rubric: [] }],
  };
  const records = [
    { id: '0@0', text: 'user: My code is cobalt.', when: 'March-15-2024', group: '/0' },
    { id: '1@1', text: 'assistant: Noted.', when: 'March-15-2024', group: '/0' },
    { id: '2@2', text: 'user: Thanks.', when: 'March-16-2024', group: '/0' },
    { id: '3@3', text: 'user: It is azure now.', when: '', group: '/1' },
  ];
  const questions = [{ text: 'What is my code?', type: 'knowledge_update', evidence: new Set(['0@0', '3@3']) }];

  it('is read from the directory of a chat', async () => {
    const parsed = await beam.parse({ file: 'chats/7/chat.json', text: JSON.stringify(chat) }, (path) =>
      Promise.resolve(path === 'probing_questions/probing_questions.json' ? JSON.stringify(probes) : undefined),
    );
    expect(parsed).toEqual({ ok: true, value: [{ id: 'chats/7', records, questions, skipped: 1 }] });
  });

  it('is read from rows, where a list of messages is a session', async () => {
    const flat = chat.map(({ turns }) => turns.flat());
    const row = { conversation_id: 7, chat: flat, probing_questions: JSON.stringify(probes) };
    for (const text of [JSON.stringify([row]), JSON.stringify(row), lines(row, row)]) {
      const parsed = await beam.parse({ file: 'f.jsonl', text }, nothingBeside);
      if (!parsed.ok) throw new Error(parsed.error);
      expect(parsed.value[0]).toMatchObject({ id: '7', questions, skipped: 1 });
      expect(parsed.value[0]?.records.map(({ group }) => group)).toEqual(['/0', '/0', '/0', '/1']);
    }
  });

  it('leaves out questions whose evidence is an id of several messages', async () => {
    const row = { conversation_id: 7, chat: [...chat, ...chat], probing_questions: probes };
    expect(await beam.parse({ file: 'f.json', text: JSON.stringify([row]) }, nothingBeside)).toMatchObject({
      ok: true,
      value: [{ questions: [], skipped: 2 }],
    });
  });

  const faults: readonly (readonly [string, string, RegExp])[] = [
    ['a chat without questions', JSON.stringify(chat), /probing_questions\.json: no such file/],
    [
      'questions as Python writes them',
      JSON.stringify({ conversation_id: 1, chat, probing_questions: "{'a': []}" }),
      /a literal of Python/,
    ],
    ['no message', JSON.stringify([{ conversation_id: 1, chat: [[]], probing_questions: {} }]), /has no message/],
    ['no JSON', 'PAR1', /^d\/f\.json:1: is no JSON$/],
    ['an empty list', '[]', /^d\/f\.json: /],
  ];
  for (const [name, text, reason] of faults)
    verifies('recall:bench', `is refused with the place of the fault: ${name}`, async () => {
      expect(await beam.parse({ file: 'd/f.json', text }, nothingBeside)).toEqual({
        ok: false,
        error: expect.stringMatching(reason) as string,
      });
    });
});
