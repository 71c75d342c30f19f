/** DKIM of the crafted letters, verified by a program that has no line in common with ours: Debian's `python3-dkim`. */
import { execFileSync, spawnSync } from 'node:child_process';
import { beforeAll, describe, expect, it } from 'vitest';
import { readLetter } from '@retainer/agent-pod/mail/letter/read-letter';
import { AGENT, bytes, fields, RECEIVED_AT_MS, WORK } from '../support/crafted-letters/crafted-letter.ts';
import { signatureLetters } from '../support/crafted-letters/signature-letters.ts';
import { craftedDns, keyOf, recordOf, signed } from '../support/crafted-letters/signing.ts';
import { verifies } from '../verifies.ts';

const PYTHON = '/usr/bin/python3';
const hasReferee = spawnSync(PYTHON, ['-c', 'import dkim']).status === 0;
const why = hasReferee ? '' : ' (skipped: python3-dkim is not installed)';

/** Reads lines of JSON {message, records}; answers with one line of results for each. */
const VERIFY = `
import base64, dkim, json, sys
for line in sys.stdin:
    asked = json.loads(line)
    message = base64.b64decode(asked['message'])
    def find(name, timeout=5):
        return asked['records'].get((name if isinstance(name, str) else name.decode()).rstrip('.'), '').encode()
    count = sum(1 for it in message.split(b'\\r\\n\\r\\n')[0].split(b'\\r\\n') if it.lower().startswith(b'dkim-signature:'))
    passed = False
    for index in range(count):
        try:
            passed = dkim.DKIM(message).verify(idx=index, dnsfunc=find) or passed
        except Exception:
            pass
    print(json.dumps(passed))
`;

const SIGN = `
import dkim, json, sys, base64
asked = json.loads(sys.stdin.read())
message = base64.b64decode(asked['message'])
canonical = tuple(it.encode() for it in asked['canonicalization'])
signature = dkim.sign(message, b's1', b'example.org', asked['key'].encode(), canonicalize=canonical, include_headers=[b'from', b'to', b'subject', b'message-id', b'from'])
print(base64.b64encode(signature + message).decode())
`;

const NAMES = ['s1', 'ed', 'weak', 'trial', 'web'].flatMap((selector) =>
  [
    'example.org',
    'mail.example.org',
    'example.co.uk',
    'other.co.uk',
    'strict.example',
    'mail.strict.example',
    'evil.example',
    'examp1e.org',
    'notexample.org',
    'example.org.evil.example',
  ].map((domain) => `${selector}._domainkey.${domain}`),
);
const records = Object.fromEntries(
  NAMES.flatMap((name) => (recordOf(name) === undefined ? [] : [[name, recordOf(name)]])),
);

async function isAligned(source: Uint8Array): Promise<boolean> {
  const arrival = {
    place: { mailbox: 'INBOX', uidValidity: '1', uid: 1 },
    receivedAtMs: RECEIVED_AT_MS,
    sizeBytes: source.length,
  };
  const { head } = await readLetter(source, arrival, { ownAddress: AGENT, resolve: craftedDns });
  return head.authentication.isAligned;
}

describe.skipIf(!hasReferee)(`the referee${why}`, () => {
  let letters: Awaited<ReturnType<typeof signatureLetters>> = [];
  let words: readonly boolean[] = [];

  beforeAll(async () => {
    letters = (await signatureLetters()).filter(({ isServiceTrusted }) => !isServiceTrusted);
    const input = letters.map(({ source }) =>
      JSON.stringify({ message: Buffer.from(source()).toString('base64'), records }),
    );
    const output = execFileSync(PYTHON, ['-c', VERIFY], {
      input: `${input.join('\n')}\n`,
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    words = output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) === true);
  });

  verifies(
    'letters:authenticated',
    'finds a valid signature in every letter that we take for its author’s',
    async () => {
      const wrong: string[] = [];
      let agreed = 0;
      for (const [index, { name, source }] of letters.entries()) {
        if (!(await isAligned(source()))) continue;
        if (words[index] === true) agreed += 1;
        else wrong.push(name);
      }
      expect(wrong).toEqual([]);
      expect(agreed).toBeGreaterThanOrEqual(10);
    },
  );

  it('finds no valid signature where ours says that the letter was changed', async () => {
    const changedOnes = letters.flatMap((letter, index) =>
      letter.expected.evidence?.startsWith('changed after') === true ? [words[index]] : [],
    );
    expect(changedOnes.length).toBeGreaterThanOrEqual(4);
    expect(changedOnes.every((word) => word === false)).toBe(true);
  });

  it.each([
    ['relaxed', 'relaxed'],
    ['simple', 'simple'],
    ['relaxed', 'simple'],
    ['simple', 'relaxed'],
  ])('signs in the form %s/%s what we take for its author’s', async (...canonicalization) => {
    const message = Buffer.from(bytes([...fields(), '', `  ${WORK}\t `, '', '']));
    const input = JSON.stringify({
      message: message.toString('base64'),
      key: keyOf('example.org', 's1'),
      canonicalization,
    });
    const source = Buffer.from(execFileSync(PYTHON, ['-c', SIGN], { input, encoding: 'utf8' }), 'base64');
    expect(await isAligned(source)).toBe(true);
    expect(await isAligned(Buffer.from(source.toString('latin1').replace(WORK, 'Other work.'), 'latin1'))).toBe(false);
  });

  it('agrees on a letter with 200 random bodies', async () => {
    const sources: Buffer[] = [];
    let state = 7;
    const next = (max: number): number => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return state % max;
    };
    // Servers end the last line, too: of one without an end the two know different things.
    for (let count = 0; count < 200; count += 1) {
      const body = Array.from({ length: next(40) }, () => ['a', ' ', '\t', '\r\n', '.', '\r\n\r\n', 'é'][next(7)]).join(
        '',
      );
      const canonicalization = ['relaxed/relaxed', 'simple/simple', 'simple/relaxed', 'relaxed/simple'][next(4)] ?? '';
      sources.push(Buffer.from(await signed(bytes([...fields(), '', body, '']), { canonicalization })));
    }
    const input = sources.map((source) => JSON.stringify({ message: source.toString('base64'), records })).join('\n');
    const output = execFileSync(PYTHON, ['-c', VERIFY], { input: `${input}\n`, encoding: 'utf8' });
    const theirs = output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) === true);
    const ours = await Promise.all(sources.map(isAligned));
    expect(ours).toEqual(theirs);
    expect(new Set(ours)).toEqual(new Set([true]));
  });
});
