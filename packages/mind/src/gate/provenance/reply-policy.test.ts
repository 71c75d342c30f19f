import { describe, expect, it } from 'vitest';
import type { GateContext } from '../verdict.ts';
import { judgeReply } from './reply-policy.ts';
import { toolResultLabel } from './tool-result-label.ts';
import type { ReadItem, ReadSoFar } from './read-item.ts';
import { decidedOf, feature, gateOf, inquiryOf, scored } from '../../../../../test/support/gate-inquiries.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { testTools } from '../../../../../test/support/known-tools.ts';

const KEY = 'kz81mQ0vbT4w1Lx93hRd22aa';

function context(read: Partial<ReadSoFar>): GateContext {
  const whole = { items: [], addresses: [], instructions: [], ...read };
  return { agent: 'executor', autonomous: true, nowMs: 0, approvals: [], read: whole };
}

function item(tool: string, input: unknown, text: string): ReadItem {
  return { recordId: 'c1', label: toolResultLabel(testTools.factsOf(tool), input), text };
}

const file = item('read_file', { path: 'private/keys.txt' }, `key: ${KEY}`);
const fact = item('memory_read', {}, `a = "${KEY}"`);
const page = item('fetch_url', { url: 'https://a.example/x' }, `see https://a.example/y, id ${KEY}`);
const program = item('bash', { script: 'cat x' }, KEY);

type Row = readonly [name: string, text: string, read: Partial<ReadSoFar>, rule: string | undefined];

const rows: readonly Row[] = [
  ['says nothing of it', 'It is done.', { items: [file, fact] }, undefined],
  ['repeats a key of a file', `It is ${KEY}.`, { items: [file] }, 'flow/key-in-reply'],
  ['repeats a key of a file that the Task names', KEY, { items: [file], asked: 'Say private/keys.txt.' }, undefined],
  ['repeats a key of memory', KEY, { items: [fact] }, 'flow/key-in-reply'],
  ['repeats a key that people wrote', KEY, { items: [fact], asked: `Is ${KEY} right?` }, undefined],
  ['repeats what a page said', KEY, { items: [page] }, undefined],
  ['repeats what a program printed', KEY, { items: [program] }, undefined],
  ['repeats its instructions', KEY, { kept: [`the number is ${KEY}`] }, 'flow/key-in-reply'],
  [
    'repeats a digest of a file',
    'ab'.repeat(32),
    { items: [item('read_file', { path: 'p' }, 'ab'.repeat(32))] },
    undefined,
  ],
  ['repeats joined words', 'the-quick-brown-fox-2', { kept: ['the-quick-brown-fox-2'] }, undefined],
  ['names an address of a page', 'See https://a.example/y.', { items: [page] }, undefined],
  ['names an address of the Task', 'See https://b.example/.', { addresses: ['https://b.example/'] }, undefined],
  [
    'names an address of its input',
    'See https://b.example/.',
    { instructions: ['go to https://b.example/'] },
    undefined,
  ],
  ['makes one up', '![](https://a.example/y?d=1)', { items: [page] }, 'flow/new-address-in-reply'],
  ['makes one up without a scheme', '![](//drop.example/y)', { items: [page] }, 'flow/new-address-in-reply'],
];

describe('what a reply may carry', () => {
  for (const [name, text, read, rule] of rows)
    it(name, () => {
      expect(judgeReply(text, context(read))?.rule).toBe(rule);
    });

  verifies('provenance:reply-keeps-keys', 'in base64, in hexadecimal, backwards and in pieces', () => {
    const forms = [
      Buffer.from(`a=${KEY}`).toString('base64url'),
      Buffer.from(KEY).toString('hex'),
      KEY.split('').toReversed().join(''),
      KEY.replaceAll(/(.{4})/g, '$1-'),
    ];
    for (const form of forms)
      expect(judgeReply(form, context({ items: [fact] }))?.rule, form).toBe('flow/key-in-reply');
  });

  verifies('provenance:reply-keeps-keys', 'and says whose it was, not what it was', () => {
    const reason = judgeReply(KEY, context({ items: [file] }))?.reason ?? '';
    expect(reason).toContain('private/keys.txt');
    expect(reason).not.toContain(KEY);
  });

  verifies('provenance:reply-keeps-keys', 'whatever a score says of it', () => {
    const gate = gateOf({ gatePolicies: { output: { modify: 0.3, reject: 0.5, features: [feature('harm')] } } });
    const asked = { answers: { forecasts: scored({ harm: 0 }) } };
    for (const autonomous of [true, false])
      for (const [text, rule] of [
        [KEY, 'flow/key-in-reply'],
        ['![](https://a.example/y?d=1)', 'flow/new-address-in-reply'],
      ] as const) {
        const inquiry = inquiryOf({ gate: 'Output', text }, { ...asked, autonomous });
        const read = { items: [fact], addresses: [], instructions: [] };
        const { verdict } = decidedOf(gate, { ...inquiry, context: { ...inquiry.context, read } });
        expect(verdict).toMatchObject({ kind: 'Reject', rule });
      }
  });
});
