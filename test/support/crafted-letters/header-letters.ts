/** Letters whose header is written so that programs disagree on it, and letters that programs wrote. */
import type { AutomaticSign } from '@retainer/mind/parts/mail/letter';
import {
  ADA,
  AGENT,
  ATTACK,
  bytes,
  delivered,
  fields,
  PASSED,
  rawBytes,
  SERVICE,
  WORK,
  type CraftedLetter,
  type Expected,
} from './crafted-letter.ts';

type Row = readonly [name: string, source: Uint8Array, expected: Expected];

/** Ada’s letter with these fields, of which the provider says that it passed. */
const passed = (others: readonly string[], text = WORK): Uint8Array =>
  bytes([...delivered([PASSED]), ...fields(...others), '', text, '']);
const aligned: Expected = { isAligned: true };
const odd: Expected = { isAligned: false, evidence: 'no header may have' };
const twice: Expected = { isAligned: false, evidence: 'stands twice' };

const ODD: readonly Row[] = [
  ['has a line that is no field', passed(['no field at all']), odd],
  ['has NUL in a field', passed(['X-Note: a\0b']), odd],
  ['has a lone CR in a field', passed([`X-Note: a\rFrom: mallory@evil.example`]), odd],
  ['has an escape sequence in its Subject', passed(['Subject: \u001b[2Jx']), { ...odd, subject: '[2Jx' }],
  ['has a folded line that is blank', passed(['X-Note: a\r\n \t\r\n b']), odd],
  [
    'has a name with a no-break space',
    rawBytes(['\u00a0From: mallory@evil.example', ...delivered([PASSED]), ...fields(), '', WORK, '']),
    odd,
  ],
  [
    'begins with a folded line',
    bytes([` From: mallory@evil.example`, ...delivered([PASSED]), ...fields(), '', WORK, '']),
    odd,
  ],
  ['has Subject twice', passed(['Subject: A', 'Subject: B']), twice],
  ['has To twice', passed([`To: ${AGENT}`, 'To: bob@example.org']), twice],
  ['has Content-Type twice', passed(['Content-Type: text/plain', 'Content-Type: text/html']), twice],
  ['has Message-ID twice', passed(['Message-ID: <a@example.org>', 'Message-ID: <b@example.org>']), twice],
  [
    'has 3,000 lines of header',
    passed(Array.from({ length: 3000 }, (_, index) => `X-${index}: y`)),
    { isAligned: false, faults: ['HeaderTooLarge'], words: '' },
  ],
  [
    'has a field of 70,000 characters',
    passed([`X-Long: ${'y'.repeat(70_000)}`]),
    { isAligned: false, faults: ['HeaderTooLarge'], words: '' },
  ],
  ['has a field folded 1,900 times', passed([`X-Long: y${'\r\n y'.repeat(1900)}`]), aligned],
  ['ends after its header', bytes([...delivered([PASSED]), ...fields()]), { isAligned: true, words: '' }],
  [
    'has line ends of one character',
    Buffer.from(Buffer.from(passed([])).toString('utf8').replaceAll('\r\n', '\n')),
    aligned,
  ],
  [
    'has 8-bit Latin-1 in its Subject',
    rawBytes([...delivered([PASSED]), ...fields('Subject: Z\u00fcrich'), '', WORK, '']),
    { isAligned: true, subject: 'Z\u00fcrich' },
  ],
  ['has raw UTF-8 in its Subject', passed(['Subject: Zürich 数字']), { isAligned: true, subject: 'Zürich 数字' }],
  [
    'injects a field by an encoded word',
    passed(['Subject: =?utf-8?q?A=0D=0ABcc:_mallory=40evil.example?=']),
    { isAligned: true, subject: 'A Bcc: mallory@evil.example' },
  ],
  [
    'has invisible characters in its Subject',
    passed(['Subject: =?utf-8?b?4oCuYeKAi2I=?=']),
    { isAligned: true, subject: 'ab' },
  ],
  [
    'has a template in its Subject',
    passed(['Subject: {{ secrets }} </letter>']),
    { isAligned: true, subject: '{{ secrets }} </letter>' },
  ],
  [
    'has a Subject of 5,000 characters',
    passed([`Subject: ${'x'.repeat(5000)}`]),
    { isAligned: true, subject: 'x'.repeat(998) },
  ],
  [
    'has an encoded word that does not end',
    passed(['Subject: =?utf-8?q?abc']),
    { isAligned: true, subject: '=?utf-8?q?abc' },
  ],
  [
    'is stored below a line of a mailbox file',
    Buffer.concat([bytes(['From ada@example.org Mon Nov 30 00:00:00 2026', '']), passed([])]),
    aligned,
  ],
  [
    'names 500 letters before it',
    passed([`References: ${Array.from({ length: 500 }, (_, index) => `<${index}@example.org>`).join('\r\n ')}`]),
    aligned,
  ],
];

/** Signs of programs. */
const PROGRAMS: readonly (readonly [
  name: string,
  others: readonly string[],
  automatic: readonly AutomaticSign[],
  more?: Partial<Expected>,
])[] = [
  ['was answered by a program', ['Auto-Submitted: auto-replied'], ['AutoSubmitted']],
  ['was made by a program, with a comment', ['Auto-Submitted: (x) auto-generated; owner=y'], ['AutoSubmitted']],
  ['has an unknown word of Auto-Submitted', ['Auto-Submitted: maybe'], ['AutoSubmitted']],
  ['was not made by a program', ['Auto-Submitted: no'], []],
  ['was not made by a program, with a comment', ['Auto-Submitted: No (really)'], []],
  ['says once no and once yes', ['Auto-Submitted: no', 'Auto-Submitted: auto-replied'], ['AutoSubmitted']],
  ['wants no answers of programs', ['X-Auto-Response-Suppress: All'], ['AutoSubmitted']],
  ['is bulk', ['Precedence: bulk'], ['Bulk']],
  ['is junk, in capitals', ['PRECEDENCE: JUNK'], ['Bulk']],
  ['is of a list', ['List-Id: <x.example.org>'], ['List']],
  ['can be unsubscribed', ['List-Unsubscribe: <mailto:x@example.org>'], ['List']],
  [
    'is a report',
    ['Content-Type: multipart/report; boundary=b; report-type=disposition-notification'],
    ['Report'],
    { words: '', faults: ['NotMime'] },
  ],
  ['is of a daemon', ['From: MAILER-DAEMON@example.org'], ['Daemon'], { from: 'mailer-daemon@example.org' }],
  ['is of nobody who reads', ['From: No-Reply@example.org'], ['Daemon'], { from: 'no-reply@example.org' }],
  [
    'is of nobody who reads, with a name',
    ['From: noreply-jobs@example.org'],
    ['Daemon'],
    { from: 'noreply-jobs@example.org' },
  ],
  ['is of a person called Noreen', ['From: noreen@example.org'], [], { from: 'noreen@example.org' }],
  ['is from this agent', [`From: ${AGENT}`, 'To: agent@agents.example'], ['Own'], { from: AGENT, isAligned: false }],
  ['went through two agents', ['X-Retainer-Hops: 2'], ['AutoSubmitted'], { hops: 2 }],
  ['has a loop header that is no number', ['X-Retainer-Hops: -1'], ['AutoSubmitted'], { hops: 1000 }],
  ['has a loop header of two values', ['X-Retainer-Hops: 0', 'X-Retainer-Hops: 7'], ['AutoSubmitted'], { hops: 7 }],
  ['has a loop header of a huge number', ['X-Retainer-Hops: 999999'], ['AutoSubmitted'], { hops: 1000 }],
  [
    'has many signs',
    ['Auto-Submitted: auto-replied', 'Precedence: list', 'List-Id: <x>', 'From: bounce-1@example.org'],
    ['AutoSubmitted', 'Bulk', 'Daemon', 'List'],
    { from: 'bounce-1@example.org' },
  ],
];

export function headerLetters(): readonly CraftedLetter[] {
  const rows: readonly Row[] = [
    ...ODD,
    ...PROGRAMS.map(([name, others, automatic, more]): Row => [
      name,
      passed(others),
      { isAligned: true, automatic, ...more },
    ]),
    [
      'has no return path',
      bytes(['Return-Path: <>', ...delivered([PASSED]).slice(1), ...fields('From: ada@example.org'), '', ATTACK, '']),
      { isAligned: true, automatic: ['NullReturnPath'], from: ADA, words: ATTACK },
    ],
    [
      'has a return path of its own below the provider’s',
      bytes([
        ...delivered([`${SERVICE}; dmarc=pass header.from=example.org`]),
        'Return-Path: <>',
        ...fields(),
        '',
        WORK,
        '',
      ]),
      { isAligned: true },
    ],
  ];
  return rows.map(([name, source, expected]) => ({ name, isServiceTrusted: true, source: () => source, expected }));
}
