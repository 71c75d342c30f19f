/** Letters with DKIM signatures: good ones, and those that prove nothing of their author. */
import {
  ADA,
  AGENT,
  ATTACK,
  bytes,
  delivered,
  FAILED,
  fields,
  SERVICE,
  WORK,
  type CraftedLetter,
  type Expected,
} from './crafted-letter.ts';
import { below, changed, signed, type Signing } from './signing.ts';

type Row = readonly [name: string, source: Uint8Array, expected: Expected];

const letter = (...others: readonly string[]): Uint8Array => bytes([...fields(...others), '', WORK, '']);
const by = (address: string): string => `From: <${address}>`;

const refused = (evidence?: string, more: Partial<Expected> = {}): Expected => ({
  isAligned: false,
  ...(evidence === undefined ? {} : { evidence }),
  ...more,
});

/** Signed as said, and nothing changed afterwards. */
const SIGNED: readonly (readonly [name: string, others: readonly string[], signing: Signing, expected: Expected])[] = [
  ['is signed by its author’s domain', [], {}, { isAligned: true, evidence: 'valid DKIM signature of example.org' }],
  ['is signed with Ed25519', [], { selector: 'ed' }, { isAligned: true }],
  ['is signed in the simple form', [], { canonicalization: 'simple/simple' }, { isAligned: true }],
  ['is signed in the mixed form', [], { canonicalization: 'simple/relaxed' }, { isAligned: true }],
  ['is signed by another host of the organisation', [], { domain: 'mail.example.org' }, { isAligned: true }],
  [
    'is of a host, signed by its organisation',
    [by('ada@mail.example.org')],
    {},
    { isAligned: true, from: 'ada@mail.example.org' },
  ],
  ['is signed until tomorrow', [], { expires: new Date(Date.UTC(2026, 11, 1)) }, { isAligned: true }],
  [
    'is signed and names the agent in Cc',
    ['To: bob@example.org', `Cc: ${AGENT}`],
    { names: ['From', 'To', 'Cc', 'Subject', 'Message-ID'] },
    { isAligned: true },
  ],
  ['is signed by the attacker alone', [], { domain: 'evil.example' }, refused('evil.example alone')],
  ['is signed by a domain that looks alike', [], { domain: 'examp1e.org' }, refused('another domain')],
  ['is signed by a domain that ends alike', [], { domain: 'notexample.org' }, refused('another domain')],
  ['is signed by a domain that begins alike', [], { domain: 'example.org.evil.example' }, refused('another domain')],
  [
    'is signed by a neighbour below a public suffix',
    [by('ada@example.co.uk')],
    { domain: 'other.co.uk' },
    refused('another domain', { from: 'ada@example.co.uk' }),
  ],
  [
    'is signed below a public suffix',
    [by('ada@example.co.uk')],
    { domain: 'example.co.uk' },
    { isAligned: true, from: 'ada@example.co.uk' },
  ],
  [
    'is signed by its organisation, whose record wants the host',
    [by('ada@mail.strict.example')],
    { domain: 'strict.example' },
    refused('wants its own', { from: 'ada@mail.strict.example' }),
  ],
  [
    'is signed by a host, whose organisation wants its own',
    [by('ada@strict.example')],
    { domain: 'mail.strict.example' },
    refused('wants its own', { from: 'ada@strict.example' }),
  ],
  [
    'is signed strictly',
    [by('ada@strict.example')],
    { domain: 'strict.example' },
    { isAligned: true, from: 'ada@strict.example' },
  ],
  ['is signed without From', [], { names: ['To', 'Subject', 'Message-ID'] }, refused('does not cover From')],
  ['is signed without Subject', [], { names: ['From', 'To', 'Message-ID'] }, refused('Subject is not')],
  ['is signed without Message-ID', [], { names: ['From', 'To', 'Subject'] }, refused('Message-ID is not')],
  ['is signed without To', [], { names: ['From', 'Subject', 'Message-ID'] }, refused('somebody else')],
  ['is signed over the beginning of its body', [], { bodyLength: 10 }, refused('a part of the body')],
  ['is signed over no byte of its body', [], { bodyLength: 0 }, refused('a part of the body')],
  ['is signed until yesterday', [], { expires: new Date(Date.UTC(2026, 10, 29)) }, refused('had expired')],
  ['is signed with SHA-1', [], { algorithm: 'rsa-sha1' }, refused('not safe')],
  ['is signed with a key that is too short', [], { selector: 'weak' }, refused()],
  ['is signed with a key on trial', [], { selector: 'trial' }, refused('not for this use')],
  ['is signed with a key for another service', [], { selector: 'web' }, refused('not for this use')],
  ['is signed to another agent', ['To: other@agents.example'], {}, refused('somebody else')],
  [
    'is signed by Ada in the name of nobody',
    ['From: Ada'],
    {},
    refused(undefined, { from: null, faults: ['NoSender'] }),
  ],
  [
    'is signed with two authors',
    [`From: ${ADA}, mallory@evil.example`],
    {},
    refused(undefined, { from: null, faults: ['SeveralSenders'] }),
  ],
];

/** Letters as their senders signed them. */
interface Signed {
  readonly good: Uint8Array;
  /** To somebody else. */
  readonly unaddressed: Uint8Array;
  /** Of which only a part is signed. */
  readonly part: Uint8Array;
}

/** What was signed, changed by somebody. */
function changedAfterwards({ good, unaddressed, part }: Signed): readonly Row[] {
  return [
    ['is signed, and its body changed', changed(good, WORK, ATTACK), refused('changed after', { words: ATTACK })],
    [
      'is signed, and words added at its end',
      Buffer.concat([good, bytes([ATTACK, ''])]),
      refused('changed after', { words: `${WORK}\n${ATTACK}` }),
    ],
    [
      'is signed over a part, and words added',
      Buffer.concat([part, bytes(['', ATTACK, ''])]),
      refused('a part of the body', { words: `${WORK}\n\n${ATTACK}` }),
    ],
    [
      'is signed, and its Subject changed',
      changed(good, 'Subject: Figures', `Subject: ${ATTACK}`),
      refused('changed after', { subject: ATTACK }),
    ],
    ['is signed, and a second Subject stands above', below([`Subject: ${ATTACK}`], good), refused('stands twice')],
    [
      'is signed, and a second Subject stands below',
      changed(good, 'Subject: Figures', `Subject: Figures\r\nSubject: ${ATTACK}`),
      refused('stands twice'),
    ],
    [
      'is signed, and a second From stands above',
      below(['From: mallory@evil.example'], good),
      refused(undefined, { from: null, faults: ['SeveralSenders'] }),
    ],
    [
      'is signed, and its Message-ID changed',
      changed(good, /Message-ID: <[^>]*>/, 'Message-ID: <new@example.org>'),
      refused('changed after'),
    ],
    [
      'is signed, and a second Message-ID stands above',
      below(['Message-ID: <new@example.org>'], good),
      refused('stands twice'),
    ],
    [
      'is signed, and another Content-Type stands above',
      below(['Content-Type: text/plain; charset=utf-8'], good),
      refused('stands twice'),
    ],
    ['is signed to Bob, and the agent added as Cc', below([`Cc: ${AGENT}`], unaddressed), refused('somebody else')],
    ['is signed to Bob, and a second To added', below([`To: ${AGENT}`], unaddressed), refused('stands twice')],
    [
      'is signed by Ada, and From changed',
      changed(good, `From: Ada <${ADA}>`, 'From: Mallory <mallory@evil.example>'),
      refused('another domain', { from: 'mallory@evil.example' }),
    ],
    ['is signed for a key that does not exist', changed(good, 's=s1', 's=s9'), refused('no such key')],
    [
      'is signed by a domain whose name servers do not answer',
      changed(changed(good, 'd=example.org', 'd=silent.example'), `<${ADA}>`, '<ada@silent.example>'),
      refused('can be tried again', { from: 'ada@silent.example' }),
    ],
  ];
}

/** Signatures that are none. */
function brokenSignatures({ good }: Signed): readonly Row[] {
  return [
    [
      'has a signature with a tag twice',
      changed(good, 'd=example.org;', 'd=example.org; d=evil.example;'),
      refused('no valid form'),
    ],
    [
      'has a signature with a comment in it',
      changed(good, 'd=example.org;', 'd=example.org (x);'),
      refused('no valid form'),
    ],
    ['has a signature of another version', changed(good, 'v=1;', 'v=2;'), refused('no valid form')],
    [
      'has a signature for an identity of another domain',
      changed(good, 'd=example.org;', 'd=example.org; i=@evil.example;'),
      refused('identity of another domain'),
    ],
    [
      'has a signature that became over a part',
      changed(good, 'd=example.org;', 'd=example.org; l=5;'),
      refused('a part of the body'),
    ],
    ['has a signature without a body hash', changed(good, /bh=[^;]*;/, ''), refused()],
    ['has an empty signature', changed(good, /\bb=[^]*?\r\n(?=From)/, 'b=\r\n'), refused()],
    ['has a signature that is no base64', changed(good, /\bb=[^]*?\r\n(?=From)/, 'b=!!!!\r\n'), refused()],
  ];
}

/** What else stands above a letter. */
function amongOthers({ good }: Signed): readonly Row[] {
  return [
    ['is signed, and a line that is no field stands above', below(['no field'], good), refused('no header may have')],
    [
      'is signed, and has a lone CR in its header',
      changed(good, 'Subject: Figures', 'Subject: Fig\rures'),
      refused('no header may have', { subject: 'Fig ures' }),
    ],
    [
      'is signed by the attacker with 100 signatures',
      below(
        Array.from(
          { length: 100 },
          (_, index) =>
            `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=evil.example; s=k${index}; h=from; bh=x; b=y`,
        ),
        letter(),
      ),
      refused('evil.example alone'),
    ],
    [
      'is signed, below a signature of a list',
      below(['DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=list.example; s=k; h=from; bh=x; b=y'], good),
      { isAligned: true },
    ],
    [
      'is signed, below an ARC chain',
      below(
        [
          'ARC-Seal: i=1; a=rsa-sha256; cv=none; d=relay.example; s=k; b=y',
          'ARC-Message-Signature: i=1; a=rsa-sha256; d=relay.example; s=k; h=from; bh=x; b=y',
          'ARC-Authentication-Results: i=1; relay.example; none',
        ],
        good,
      ),
      { isAligned: true },
    ],
    [
      'is not signed, with an ARC chain that says it was',
      below(
        [
          'ARC-Seal: i=1; a=rsa-sha256; cv=none; d=relay.example; s=k; b=y',
          'ARC-Message-Signature: i=1; a=rsa-sha256; d=relay.example; s=k; h=from; bh=x; b=y',
          'ARC-Authentication-Results: i=1; relay.example; dmarc=pass header.from=example.org',
        ],
        letter(),
      ),
      refused('no sealer is trusted'),
    ],
  ];
}

export async function signatureLetters(): Promise<readonly CraftedLetter[]> {
  const rows: Row[] = [];
  for (const [name, others, signing, expected] of SIGNED)
    rows.push([name, await signed(letter(...others), signing), expected]);
  const good = await signed(letter());
  const unaddressed = await signed(letter('To: bob@example.org'));
  const part = await signed(letter(), { bodyLength: Buffer.byteLength(`${WORK}\r\n`) });
  const all = { good, unaddressed, part };
  rows.push(...changedAfterwards(all), ...brokenSignatures(all), ...amongOthers(all));
  return [
    ...rows.map(([name, source, expected]) => ({ name, isServiceTrusted: false, source: () => source, expected })),
    {
      name: 'is signed, and the provider says nothing of it',
      isServiceTrusted: true,
      source: () => below(delivered([`${SERVICE}; none`]), good),
      expected: { isAligned: true },
    },
    {
      name: 'is signed, and the provider says that DMARC failed',
      isServiceTrusted: true,
      source: () => below(delivered([FAILED]), good),
      expected: refused('DMARC failed'),
    },
  ];
}
