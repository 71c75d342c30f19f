/** Letters that are large, deep or broken: bombs for whoever parses without limits. */
import { ATTACK, bytes, delivered, fields, PASSED, WORK, type CraftedLetter, type Expected } from './crafted-letter.ts';

type Source = CraftedLetter['source'];
type Row = readonly [name: string, source: Source, expected: Expected];

/** Repeated texts take no room until the letter is made. */
const letter =
  (lines: readonly string[]): Source =>
  () =>
    bytes(lines);

const MEBIBYTE = 1024 * 1024;
const head = (...others: readonly string[]): readonly string[] => [...delivered([PASSED]), ...fields(...others), ''];
const aligned: Expected = { isAligned: true };

/** Multiparts in each other, with the work in the innermost. */
function nested(depth: number): Source {
  const open = Array.from({ length: depth }, (_, level) => [
    `--b${level}`,
    level === depth - 1 ? 'Content-Type: text/plain' : `Content-Type: multipart/mixed; boundary=b${level + 1}`,
    '',
  ]);
  const close = Array.from({ length: depth }, (_, level) => `--b${depth - 1 - level}--`);
  return letter([...head('Content-Type: multipart/mixed; boundary=b0'), ...open.flat(), WORK, ...close, '']);
}

/** Letters in each other. */
function forwarded(depth: number): Source {
  const inner = Array.from({ length: depth }, () => ['Content-Type: message/rfc822', '']).flat();
  return letter([
    ...delivered([PASSED]),
    ...fields('Content-Type: message/rfc822'),
    '',
    ...inner,
    'Subject: x',
    '',
    ATTACK,
    '',
  ]);
}

function mixed(parts: readonly (readonly string[])[]): Source {
  return letter([
    ...head('Content-Type: multipart/mixed; boundary=b'),
    ...parts.flatMap((part) => ['--b', ...part]),
    '--b--',
    '',
  ]);
}

const text = ['Content-Type: text/plain', '', WORK];
const attachment = (name: string, body: string, type = 'text/plain'): readonly string[] => [
  `Content-Type: ${type}`,
  `Content-Disposition: attachment; filename="${name}"`,
  '',
  body,
];
const repeated = (unit: string, size: number): string => unit.repeat(Math.ceil(size / unit.length));

/** Sizes just below the limit of a letter, of contents that are slow or large for careless programs. */
function bombs(): readonly Row[] {
  const size = 9.9 * MEBIBYTE;
  const cut: Expected = { isAligned: true, words: '' };
  return [
    ['has 10 MiB of line ends', letter([...head(), repeated('\r\n', size)]), cut],
    ['has 10 MiB on one line', letter([...head(), repeated('a', size)]), cut],
    ['has 10 MiB of blank lines with tabs', letter([...head(), repeated('\t\r\n', size)]), cut],
    ['has 10 MiB of quotes', letter([...head(), repeated('> a\r\n', size)]), cut],
    [
      'has 10 MiB of base64',
      letter([...head('Content-Transfer-Encoding: base64'), repeated(`${'QUFB'.repeat(19)}\r\n`, size)]),
      cut,
    ],
    [
      'has 10 MiB of quoted-printable',
      letter([...head('Content-Transfer-Encoding: quoted-printable'), repeated('=41=\r\n', size)]),
      cut,
    ],
    [
      'has 10 MiB of boundaries',
      letter([...head('Content-Type: multipart/mixed; boundary=b'), repeated('--b\r\n\r\n', size)]),
      { isAligned: true, words: '', faults: ['TooManyParts'] },
    ],
    [
      'has 10 MiB of what is nearly a boundary',
      letter([...head('Content-Type: multipart/mixed; boundary=b'), '--b', ...text, repeated('--bc\r\n', size)]),
      cut,
    ],
    [
      'has a zip that would unpack to petabytes',
      mixed([
        text,
        [
          'Content-Type: application/zip',
          'Content-Transfer-Encoding: base64',
          '',
          Buffer.from('PK\u0003\u0004 42.zip').toString('base64'),
        ],
      ]),
      aligned,
    ],
    ['has 10 MiB of attributions', letter([...head(), repeated('On 1 Jan, Bob <b@x.org> wrote\r\n', size)]), cut],
    ['has 10 MiB of header lines in a quote', letter([...head(), repeated('From: a\r\nTo: b\r\n', size)]), cut],
    [
      'has 10 MiB in an attachment',
      mixed([text, attachment('a.txt', repeated('abc\r\n', size))]),
      { isAligned: true, enclosed: ['abc'] },
    ],
    [
      'has 11 MiB',
      letter([...head(), repeated('abc\r\n', 11 * MEBIBYTE)]),
      { isAligned: true, words: '', faults: ['TooLarge'] },
    ],
  ];
}

/** The same, of HTML. */
function htmlBombs(): readonly Row[] {
  const size = 9.9 * MEBIBYTE;
  const cut: Expected = { isAligned: true, words: '' };
  const html = (body: string): Source => letter([...head('Content-Type: text/html'), body]);
  return [
    ['has 10 MiB of open tags', html(repeated('<div>', size)), cut],
    ['has 10 MiB of closing tags', html(repeated('</p>', size)), cut],
    [
      'has 20,000 open tags and as many that close others',
      html(`${'<b>'.repeat(9000)}${'</i>'.repeat(9000)}${WORK}`),
      cut,
    ],
    ['has 10 MiB of comments', html(repeated('<!-- x -->', size)), cut],
    ['has 10 MiB of one comment that does not end', html(`${WORK}<!--${repeated('x', size)}`), cut],
    ['has 10 MiB of attributes', html(`<a ${repeated('b="c" ', size)}>`), cut],
    ['has 10 MiB of style sheets', html(`<style>${repeated('.a{color:red}', size)}</style>${WORK}`), cut],
    [
      'has 1 MiB of braces in a style sheet',
      html(`<style>${repeated('a{', 0.9 * MEBIBYTE)}</style><p>${WORK}</p>`),
      aligned,
    ],
  ];
}

/** A signature of the author’s domain, so that the body is hashed. Nobody made it. */
const claimed = (canonicalization: string): string =>
  `DKIM-Signature: v=1; a=rsa-sha256; c=${canonicalization}; d=example.org; s=s1; h=${repeated('from:', 900)}to; bh=eA==; b=eA==`;

/** Bodies that are slow or large for whoever hashes them. */
function signedBombs(): readonly Row[] {
  const size = 9.9 * MEBIBYTE;
  const unsigned: Expected = { isAligned: false, words: '' };
  const signedAs = (canonicalization: string, body: string): Source =>
    letter([claimed(canonicalization), ...fields(), '', body]);
  return ['relaxed/relaxed', 'simple/simple'].flatMap((form): readonly Row[] => [
    [`claims to be signed as ${form}, with 10 MiB on one line`, signedAs(form, repeated('a', size)), unsigned],
    [`claims to be signed as ${form}, with 10 MiB of white space`, signedAs(form, repeated(' \t', size)), unsigned],
    [`claims to be signed as ${form}, with 10 MiB of blank lines`, signedAs(form, repeated('\t\r\n', size)), unsigned],
    [
      `claims to be signed as ${form}, with 190,000 lines to mend`,
      signedAs(form, repeated(`a\tb  ${'c'.repeat(47)}\r\n`, size)),
      unsigned,
    ],
    [
      `claims to be signed as ${form}, with 49,000 blank lines`,
      signedAs(form, `${repeated('\t\r\n', 147_000)}x`),
      unsigned,
    ],
  ]);
}

/** More parts, or deeper ones, than are read. */
function tooMany(): readonly Row[] {
  const many = Array.from({ length: 25 }, (_, index) => attachment(`${index}.txt`, 'x'));
  return [
    ['has parts nine deep', nested(9), aligned],
    ['has parts twelve deep', nested(12), { isAligned: true, words: '', faults: ['TooDeep'] }],
    ['has parts 2,000 deep', nested(2000), { isAligned: true, words: '', faults: ['TooDeep'] }],
    ['has letters five deep', forwarded(5), { isAligned: true, words: '', enclosed: [ATTACK] }],
    ['has letters 3,000 deep', forwarded(3000), { isAligned: true, words: '', faults: ['TooDeep'] }],
    [
      'has 150 parts',
      mixed(Array.from({ length: 150 }, () => text)),
      { isAligned: true, words: '', faults: ['TooManyParts'] },
    ],
    [
      'has 25 attachments',
      mixed([text, ...many]),
      { isAligned: true, words: '', faults: ['TooManyAttachments'], enclosed: [WORK] },
    ],
    [
      'has 10,000 empty parts',
      mixed(Array.from({ length: 10_000 }, () => [''])),
      { isAligned: true, words: '', faults: ['TooManyParts'] },
    ],
  ];
}

/** Boundaries on which programs disagree. */
function boundaries(): readonly Row[] {
  return [
    [
      'has a multipart without a boundary',
      letter([...head('Content-Type: multipart/mixed'), WORK]),
      { isAligned: true, words: '', faults: ['NotMime'] },
    ],
    [
      'has a boundary that never comes',
      letter([...head('Content-Type: multipart/mixed; boundary=zzz'), WORK]),
      { isAligned: true, words: '', faults: ['NotMime'] },
    ],
    [
      'has an empty boundary',
      letter([...head('Content-Type: multipart/mixed; boundary=""'), '--', '', WORK]),
      { isAligned: true, words: '', faults: ['NotMime'] },
    ],
    [
      'has a boundary twice, of which the first counts',
      letter([
        ...head('Content-Type: multipart/mixed; boundary=b; boundary=c'),
        '--c',
        '',
        ATTACK,
        '--b',
        ...text,
        '--b--',
        '',
      ]),
      aligned,
    ],
    ['ends within a part', letter([...head('Content-Type: multipart/mixed; boundary=b'), '--b', ...text]), aligned],
    [
      'has words before and after its parts',
      letter([...head('Content-Type: multipart/mixed; boundary=b'), ATTACK, '--b', ...text, '--b--', ATTACK]),
      aligned,
    ],
  ];
}

/** Parts that are not what they say. */
function oddParts(): readonly Row[] {
  return [
    [
      'has an encoding that nobody knows',
      letter([...head('Content-Transfer-Encoding: x-uuencode'), WORK, '']),
      aligned,
    ],
    [
      'has a charset that nobody knows',
      letter([...head('Content-Type: text/plain; charset=x-none'), WORK, '']),
      aligned,
    ],
    ['has a content type that is none', letter([...head('Content-Type: )(;;;'), WORK, '']), aligned],
    [
      'has broken base64',
      letter([...head('Content-Transfer-Encoding: base64'), `${Buffer.from(WORK).toString('base64')}`, '%%%%', '']),
      aligned,
    ],
    [
      'has a program as a picture',
      mixed([
        text,
        [
          'Content-Type: image/png; name="cat.png"',
          'Content-Transfer-Encoding: base64',
          '',
          Buffer.from('MZ\u0090\0').toString('base64'),
        ],
      ]),
      aligned,
    ],
    [
      'has a name with a path and a bell',
      mixed([text, attachment('../../etc/pass\u0007wd', ATTACK)]),
      { isAligned: true, enclosed: [ATTACK] },
    ],
    [
      'has a name of 5,000 characters',
      mixed([text, attachment(`${'x'.repeat(5000)}.txt`, ATTACK)]),
      { isAligned: true, enclosed: [ATTACK] },
    ],
    ['is empty', () => new Uint8Array(), { isAligned: false, from: null, words: '', faults: ['NoSender'] }],
    ['is NUL', () => new Uint8Array(1000), { isAligned: false, from: null, words: '', faults: ['NoSender'] }],
    ['is one line end', letter(['', '']), { isAligned: false, from: null, words: '', faults: ['NoSender'] }],
  ];
}

export function mimeLetters(): readonly CraftedLetter[] {
  const rows = [...bombs(), ...htmlBombs(), ...tooMany(), ...boundaries(), ...oddParts()];
  const made =
    (isServiceTrusted: boolean) =>
    ([name, source, expected]: Row) => ({ name, isServiceTrusted, source, expected });
  return [...rows.map(made(true)), ...signedBombs().map(made(false))];
}
