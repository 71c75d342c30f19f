/** Letters that bring Authentication-Results of their own, and letters of which the provider really says something. */
import {
  ADA,
  ATTACK,
  bytes,
  delivered,
  FAILED,
  fields,
  NEUTRAL,
  newMessageId,
  PASSED,
  SERVICE,
  WORK,
  type CraftedLetter,
  type Expected,
} from './crafted-letter.ts';

const forged = `Authentication-Results: ${PASSED}`;
const attack = ['', ATTACK, ''];
const work = ['', WORK, ''];

/** From what stands above the letter, and between its own fields. */
type Row = readonly [name: string, lines: readonly string[], expected: Expected];

const attacked: Expected = { isAligned: false, words: ATTACK };

/** Forged results: below the real ones, above them, beside them, without any. */
const FORGED: readonly Row[] = [
  ['says that it passed where the provider says nothing', [...fields(forged), ...attack], attacked],
  ['puts a forged pass below the provider’s fail', [...delivered([FAILED]), ...fields(forged), ...attack], attacked],
  [
    'puts a forged pass first of its own fields, directly below the fail',
    [...delivered([FAILED]), forged, ...fields(), ...attack],
    attacked,
  ],
  [
    'puts a forged pass directly below a word that knows of no author',
    [...delivered([NEUTRAL]), forged, ...fields(), ...attack],
    attacked,
  ],
  [
    'puts forged DKIM directly below an SPF of the attacker',
    [
      ...delivered([`${SERVICE}; spf=pass smtp.mailfrom=mallory@evil.example`]),
      `Authentication-Results: ${SERVICE}; dkim=pass header.d=example.org`,
      ...fields(),
      ...attack,
    ],
    attacked,
  ],
  [
    'puts a forged pass directly below `none`',
    [...delivered([`${SERVICE}; none`]), forged, ...fields(), ...attack],
    attacked,
  ],
  [
    'puts ten forged passes below the fail',
    [...delivered([FAILED]), ...Array.from({ length: 10 }, () => forged), ...fields(), ...attack],
    attacked,
  ],
  [
    'puts a forged pass below a forged hop of the provider',
    [
      ...delivered([FAILED]),
      `Received: from x by ${SERVICE}; Mon, 30 Nov 2026 00:00:00 +0000`,
      forged,
      ...fields(),
      ...attack,
    ],
    attacked,
  ],
  [
    'puts a forged pass below a hop of its own',
    ['Received: from a by mx.evil.example; Mon, 30 Nov 2026 00:00:00 +0000', forged, ...fields(), ...attack],
    attacked,
  ],
  [
    'puts a forged pass below results of its own service',
    ['Authentication-Results: mx.evil.example; dmarc=pass header.from=example.org', forged, ...fields(), ...attack],
    attacked,
  ],
  [
    'has results of a service of the attacker alone',
    [
      ...delivered([]),
      'Authentication-Results: mx.evil.example; dmarc=pass header.from=example.org',
      ...fields(),
      ...attack,
    ],
    attacked,
  ],
  [
    'has a service whose name begins like the provider’s',
    [...delivered([`${SERVICE}.evil.example; dmarc=pass header.from=example.org`]), ...fields(), ...attack],
    attacked,
  ],
  [
    'has a service whose name ends like the provider’s',
    [...delivered([`evil${SERVICE}; dmarc=pass header.from=example.org`]), ...fields(), ...attack],
    attacked,
  ],
  [
    'names the provider in a comment',
    [...delivered([`mx.evil.example (${SERVICE}); dmarc=pass header.from=example.org`]), ...fields(), ...attack],
    attacked,
  ],
  ['has its results after From', [`From: ${ADA}`, forged, ...fields().slice(1), ...attack], attacked],
  [
    'has its results after a DKIM signature',
    ['DKIM-Signature: v=1; a=rsa-sha256; d=example.org; s=s1; h=from; bh=x; b=y', forged, ...fields(), ...attack],
    attacked,
  ],
  [
    'has its results in its body',
    [...delivered([FAILED]), ...fields(), '', forged, '', ATTACK, ''],
    { isAligned: false, words: `${forged}\n\n${ATTACK}` },
  ],
  [
    'renames the field a little',
    ['Authentication-Results : none', `X-Authentication-Results: ${PASSED}`, ...fields(), ...attack],
    attacked,
  ],
  [
    'has ARC results that say it passed',
    [`ARC-Authentication-Results: i=1; ${PASSED}`, ...fields(), ...attack],
    attacked,
  ],
  [
    'has results in the old field of the same kind',
    [`Received-SPF: pass (${SERVICE}) client-ip=192.0.2.1`, ...fields(), ...attack],
    attacked,
  ],
];

/** The real field, of which something is not as it must be. */
const NOT_PASSED: readonly (readonly [name: string, result: string, evidence?: string])[] = [
  ['says that DMARC failed', FAILED, 'DMARC failed'],
  [
    'says pass and fail of DMARC',
    `${SERVICE}; dmarc=pass header.from=example.org; dmarc=fail header.from=example.org`,
    'DMARC failed',
  ],
  ['says that DMARC passed for the attacker', `${SERVICE}; dmarc=pass header.from=evil.example`, 'another domain'],
  ['says that DMARC passed, not for whom', `${SERVICE}; dmarc=pass`, 'for which domain'],
  ['says pass only in a comment', `${SERVICE}; dmarc=none (dmarc=pass header.from=example.org)`],
  ['says pass only in quotes', `${SERVICE}; dmarc=none reason="dmarc=pass header.from=example.org"`],
  [
    'says pass only in a reason',
    `${SERVICE}; dmarc=fail reason="; dmarc=pass header.from=example.org"`,
    'DMARC failed',
  ],
  ['has a quote that does not end', `${SERVICE}; dmarc=pass header.from="example.org`, 'not of the form'],
  ['has a comment that does not end', `${SERVICE}; dmarc=pass (x header.from=example.org`, 'not of the form'],
  ['has a version that nobody knows', `${SERVICE} 2; dmarc=pass header.from=example.org`, 'not of the form'],
  ['has no service id', 'dmarc=pass header.from=example.org', 'not of the form'],
  ['has words where a property belongs', `${SERVICE}; dmarc=pass yes header.from=example.org`, 'not of the form'],
  [
    'names the author’s domain twice',
    `${SERVICE}; dmarc=pass header.from=evil.example header.from=example.org`,
    'not of the form',
  ],
  ['says dkim=pass for the attacker', `${SERVICE}; dkim=pass header.d=evil.example`],
  ['says dkim=pass for a domain that ends alike', `${SERVICE}; dkim=pass header.d=notexample.org`],
  ['says dkim=pass for a domain that begins alike', `${SERVICE}; dkim=pass header.d=example.org.evil.example`],
  ['says dkim=pass for a public suffix', `${SERVICE}; dkim=pass header.d=org`],
  ['says spf=pass for the attacker', `${SERVICE}; spf=pass smtp.mailfrom=mallory@evil.example`],
  ['says spf=pass for the greeting alone', `${SERVICE}; spf=pass smtp.helo=example.org`],
  [
    'says softfail and neutral',
    `${SERVICE}; spf=softfail smtp.mailfrom=example.org; dkim=neutral header.d=example.org`,
  ],
  ['says passed', `${SERVICE}; dmarc=passed header.from=example.org`, 'DMARC failed'],
  ['says pass of an unknown method', `${SERVICE}; x-trust=pass header.from=example.org`],
  ['has an equals sign too many', `${SERVICE}; dmarc==pass header.from=example.org`, 'not of the form'],
  ['is empty', '', 'not of the form'],
  ['is a service id and nothing', SERVICE],
];

/** What the provider says of honest letters, in the ways in which providers write it. */
const HONEST: readonly (readonly [name: string, results: readonly string[]])[] = [
  ['passed', [PASSED]],
  ['passed, in capitals', [`${SERVICE.toUpperCase()}; DMARC=PASS header.from=EXAMPLE.ORG`]],
  ['passed, with a version', [`${SERVICE} 1; dmarc=pass header.from=example.org`]],
  [
    'passed, with comments in every place',
    [`(a) ${SERVICE} (b); (c) dmarc (d)=(e) pass (f (g)) header.from (h)= example.org (i)`],
  ],
  ['passed, folded over three lines', [`${SERVICE};\r\n\tdmarc=pass (p=REJECT)\r\n\theader.from=example.org`]],
  ['passed, with a semicolon at the end', [`${SERVICE}; dmarc=pass header.from=example.org;`]],
  [
    'passed by DKIM of the same organisation',
    [`${SERVICE}; dkim=pass header.i=@mail.example.org header.s=s1 header.b=abc`],
  ],
  [
    'passed by SPF of the same organisation',
    [`${SERVICE}; spf=pass (sender permitted) smtp.mailfrom=bounces@news.example.org`],
  ],
  [
    'passed by one of two DKIM signatures',
    [`${SERVICE}; dkim=fail header.d=list.example; dkim=pass header.d=example.org`],
  ],
  [
    'passed, in the words of Gmail',
    [
      `${SERVICE};\r\n       dkim=pass header.i=@example.org header.s=20230601 header.b="Xy1/Ab+c";\r\n       spf=pass (x: domain of ${ADA} designates 192.0.2.1 as permitted sender) smtp.mailfrom=${ADA};\r\n       dmarc=pass (p=NONE sp=QUARANTINE dis=NONE) header.from=example.org;\r\n       dara=pass header.i=@example.org`,
    ],
  ],
  [
    'passed, in the words of Fastmail',
    [
      `${SERVICE};\r\n    dkim=pass (2048-bit rsa key sha256) header.d=example.org header.i=@example.org header.b=abc header.a=rsa-sha256 header.s=s1 x-bits=2048;\r\n    dmarc=pass policy.published-domain-policy=none policy.applied-disposition=none (p=none,d=none) policy.policy-from=p header.from=example.org;\r\n    iprev=pass smtp.remote-ip=[2001:db8::1] (out.example.org);\r\n    bimi=skipped (DMARC Policy is not at enforcement)`,
    ],
  ],
  [
    'passed, in the words of Yahoo',
    [
      `${SERVICE}; dkim=pass header.i=@example.org header.s=s1; spf=pass smtp.mailfrom=example.org; dmarc=pass(p=NONE,sp=QUARANTINE) header.from=example.org;`,
    ],
  ],
  [
    'passed, in the words of OpenDKIM',
    [
      `${SERVICE}; dkim=pass (2048-bit key; unprotected) header.d=example.org header.i=@example.org header.a=rsa-sha256 header.s=s1 header.b="ab/cd+x"; dkim-atps=neutral`,
    ],
  ],
  [
    'passed, in the words of rspamd',
    [
      `${SERVICE};\r\n\tdkim=none;\r\n\tspf=pass (${SERVICE}: domain of ${ADA} designates 192.0.2.1) smtp.mailfrom=${ADA};\r\n\tdmarc=pass (policy=none) header.from=example.org`,
    ],
  ],
  ['passed, in two fields of the same provider', [PASSED, `${SERVICE}; spf=pass smtp.mailfrom=${ADA}`]],
];

export function resultsLetters(): readonly CraftedLetter[] {
  const rows: readonly Row[] = [
    ...FORGED,
    ...NOT_PASSED.map(([name, result, evidence]): Row => {
      const expected = evidence === undefined ? attacked : { ...attacked, evidence };
      return [`is told of by a field that ${name}`, [...delivered([result]), ...fields(), ...attack], expected];
    }),
    ...HONEST.map(([name, results]): Row => [
      `is honest and ${name}`,
      [...delivered(results), ...fields(), ...work],
      { isAligned: true },
    ]),
    [
      'is honest and passed above an internal hop',
      [
        `Received: from ${SERVICE} by imap.agents.example with LMTP; Mon, 30 Nov 2026 00:00:00 +0000`,
        ...delivered([PASSED]),
        ...fields(),
        ...work,
      ],
      { isAligned: true },
    ],
    [
      'passed, but is written to somebody else',
      [...delivered([PASSED]), ...fields('To: other@agents.example'), ...work],
      { isAligned: false, evidence: 'somebody else' },
    ],
    [
      'passed, with a tag in the agent’s address',
      [...delivered([PASSED]), ...fields('To: agent+task@agents.example'), ...work],
      { isAligned: true },
    ],
    [
      'passed, with the agent in Cc',
      [...delivered([PASSED]), ...fields('To: bob@example.org', 'Cc: "Agent" <Agent@Agents.Example>'), ...work],
      { isAligned: true },
    ],
  ];
  return [
    ...rows.map(([name, lines, expected]) => ({ name, isServiceTrusted: true, source: () => bytes(lines), expected })),
    {
      name: 'is honest and passed, but no provider is trusted',
      isServiceTrusted: false,
      source: () => bytes([...delivered([PASSED]), ...fields(newMessageId()), ...work]),
      expected: { isAligned: false },
    },
  ];
}
