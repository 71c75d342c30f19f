/** Letters that leave open who wrote them, or that look as if somebody else had. */
import {
  ADA,
  AGENT,
  ATTACK,
  bytes,
  delivered,
  fields,
  PASSED,
  SERVICE,
  type CraftedLetter,
  type Expected,
} from './crafted-letter.ts';

type Row = readonly [name: string, from: readonly string[], expected: Omit<Expected, 'isAligned'>];

const SEVERAL = { from: null, faults: ['SeveralSenders'] } as const;
const NOBODY = { from: null, faults: ['NoSender'] } as const;
const MALLORY = 'mallory@evil.example';

/** The provider says that all passed for Ada's domain: only the author's field is odd. */
const ROWS: readonly Row[] = [
  ['has two From fields', [`From: ${MALLORY}`, `From: ${ADA}`], SEVERAL],
  ['has two From fields of the same author', [`From: ${ADA}`, `From: ${ADA}`], SEVERAL],
  ['has a second From field with a space before its colon', [`From: ${ADA}`, `From : ${MALLORY}`], SEVERAL],
  ['has two addresses in From', [`From: ${ADA}, ${MALLORY}`], SEVERAL],
  ['has two addresses in From, with names', [`From: Ada <${ADA}>, "M" <${MALLORY}>`], SEVERAL],
  ['separates two addresses by a semicolon', [`From: ${ADA}; ${MALLORY}`], SEVERAL],
  ['has a group in From', [`From: Friends: ${ADA};`], SEVERAL],
  ['has an empty group in From', ['From: undisclosed-recipients:;'], SEVERAL],
  ['has two addresses in brackets', [`From: <${ADA}> <${MALLORY}>`], SEVERAL],
  ['has an address as its bare display name', [`From: ${ADA} <${MALLORY}>`], SEVERAL],
  ['has an address after the brackets', [`From: <${MALLORY}> ${ADA}`], SEVERAL],
  ['has a list that begins with nothing', [`From: , ${ADA}`], SEVERAL],
  ['has no From', [], NOBODY],
  ['has an empty From', ['From:'], NOBODY],
  ['has empty brackets', ['From: <>'], NOBODY],
  ['has a name without an address', ['From: Ada'], NOBODY],
  ['has an address without a dot in its domain', ['From: ada@localhost'], NOBODY],
  ['has an address literal', ['From: ada@[192.0.2.1]'], NOBODY],
  ['has a route in its address', [`From: <@evil.example:${ADA}>`], NOBODY],
  ['has a quoted local part', ['From: <"ada@example.org, x"@evil.example>'], NOBODY],
  ['has its address in quotes', [`From: "${ADA}"`], NOBODY],
  ['has its address as an encoded word', ['From: =?utf-8?q?ada=40example.org?='], NOBODY],
  ['has its brackets as an encoded word', ['From: =?utf-8?b?PGFkYUBleGFtcGxlLm9yZz4=?='], NOBODY],
  ['has a bracket that does not end', [`From: Ada <${ADA}`], NOBODY],
  ['has a comment that does not end', [`From: ${ADA} (x`], NOBODY],
  ['has a quote that does not end', [`From: "Ada <${ADA}>`], NOBODY],
  ['has white space in its address', ['From: <ada @example.org>'], NOBODY],
  ['has an invisible character in its address', ['From: <ada@exam\u200bple.org>'], NOBODY],
  ['turns the direction within its address', ['From: <ada@\u202egro.elpmaxe>'], NOBODY],
  ['has NUL in its address', ['From: <ada@example.org\0.evil.example>'], NOBODY],
  ['has two signs of an address', ['From: <ada@example.org@evil.example>'], NOBODY],
  ['ends its domain with a dot', ['From: <ada@example.org.>'], NOBODY],
  ['has a local part of 300 characters', [`From: <${'a'.repeat(300)}@example.org>`], NOBODY],
  ['has another author', [`From: Ada <${MALLORY}>`], { from: MALLORY }],
  ['has Ada’s address in its quoted name', [`From: "${ADA}" <${MALLORY}>`], { from: MALLORY }],
  ['has Ada’s address in a comment', [`From: ${MALLORY} (${ADA})`], { from: MALLORY }],
  ['has Ada’s address as an encoded name', [`From: =?utf-8?q?ada=40example.org?= <${MALLORY}>`], { from: MALLORY }],
  ['hides the real address behind many spaces', [`From: "${ADA}${' '.repeat(300)}" <${MALLORY}>`], { from: MALLORY }],
  ['has a domain that looks alike', ['From: <ada@examp1e.org>'], { from: 'ada@examp1e.org' }],
  [
    'has a domain with a letter of another script',
    ['From: <ada@ex\u0430mple.org>'],
    { from: 'ada@xn--exmple-4nf.org' },
  ],
  ['has the same domain in its ASCII form', ['From: <ada@xn--exmple-4nf.org>'], { from: 'ada@xn--exmple-4nf.org' }],
  ['has a domain that ends alike', ['From: <ada@notexample.org>'], { from: 'ada@notexample.org' }],
  [
    'has a domain that begins alike',
    ['From: <ada@example.org.evil.example>'],
    { from: 'ada@example.org.evil.example' },
  ],
  [
    'has a local part with a letter of another script',
    ['From: <\u0430da@evil.example>'],
    { from: '\u0430da@evil.example' },
  ],
  ['has a Kelvin sign for a k', ['From: <\u212aim@evil.example>'], { from: '\u212aim@evil.example' }],
  ['has Ada as Sender', [`From: ${MALLORY}`, `Sender: ${ADA}`], { from: MALLORY }],
  ['has Ada as Reply-To', [`From: ${MALLORY}`, `Reply-To: ${ADA}`], { from: MALLORY }],
  ['has Ada as Resent-From', [`From: ${MALLORY}`, `Resent-From: ${ADA}`], { from: MALLORY }],
];

/** The same author in forms that are as good. */
const HONEST: readonly (readonly [name: string, from: string])[] = [
  ['bare', `From: ${ADA}`],
  ['in capitals', 'From: <ADA@Example.ORG>'],
  ['with a name in quotes', `From: "Lovelace, Ada" <${ADA}>`],
  ['with a comment', `From: ${ADA} (Ada (Lovelace))`],
  ['with a name beyond ASCII', `From: =?utf-8?b?w4RkYQ==?= <${ADA}>`],
  ['with a raw name beyond ASCII', `From: Äda <${ADA}>`],
  ['folded', `From: Ada\r\n <${ADA}>`],
  ['with an escaped quote in its name', `From: "A \\"x\\" B" <${ADA}>`],
];

export function senderLetters(): readonly CraftedLetter[] {
  const letter = (from: readonly string[], domain: string): Uint8Array =>
    bytes([
      ...delivered([domain === 'example.org' ? PASSED : `${SERVICE}; dmarc=none header.from=${domain}`]),
      ...from,
      ...fields(`To: ${AGENT}`).filter((field) => !field.startsWith('From:')),
      '',
      ATTACK,
      '',
    ]);
  return [
    ...ROWS.map(([name, from, expected]) => ({
      name,
      isServiceTrusted: true,
      source: () => letter(from, 'example.org'),
      expected: { isAligned: false, words: ATTACK, ...expected },
    })),
    ...HONEST.map(([name, from]) => ({
      name: `has Ada’s address, ${name}`,
      isServiceTrusted: true,
      source: () => letter([from], 'example.org'),
      expected: { isAligned: true, from: ADA, words: ATTACK },
    })),
  ];
}
