import { canonicalJson } from '@retainer/contract/std/canonical-json';
import { invariant } from '@retainer/contract/std/invariant';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import { argumentsDigest } from '../arguments-digest.ts';
import { compileGate } from '../compile-gate.ts';
import { knowTools } from '../tool-facts.ts';
import type { Approval } from '../verdict.ts';
import { readersOf, type Readers } from './label.ts';
import type { ReadItem, ReadSoFar } from './read-item.ts';
import { judgeReply } from './reply-policy.ts';

const ANN = 'ann@a.example';
const BEN = 'ben@b.example';
/** Telling, and no key. */
const CODE = 'kx7Qd92mVbT4w1';
const KEY = 'kz81mQ0vbT4w1Lx93hRd22aa';

const known = knowTools([
  {
    name: 'send_mail',
    effectClass: 3,
    ...{ reachesOutside: true, runsCode: false, showsPeople: false, actsLater: false, writes: 'Nothing' },
    arguments: { to: 'Destination', text: 'Content' },
  },
]);
const everything = { authority: { alone: [{ id: 'all', description: 'All.', tools: ['*'] }] } };
const compiled = compileGate(everything, 'digest', known);
invariant(compiled.ok, 'compiles');
const gate = compiled.value;

function item(readers: Readers, text = `The code is ${CODE}.`): ReadItem {
  return { recordId: 'c1', label: { source: { kind: 'Workspace', name: 'a.md' }, trust: 'Trusted', readers }, text };
}

function read(readers: Readers, parts: Partial<ReadSoFar> = {}): ReadSoFar {
  return { items: [item(readers)], addresses: [], instructions: [], ...parts };
}

function letter(to: string | readonly string[], text = CODE) {
  const argumentsText = canonicalJson({ to, text });
  return {
    ...({ tool: 'send_mail', effectClass: 3, readPaths: [], writePaths: [], domains: [], argumentsText } as const),
    argumentsDigest: argumentsDigest('send_mail', argumentsText),
  };
}

function verdictOn(call: ReturnType<typeof letter>, it: ReadSoFar, approvals: readonly Approval[] = []): string {
  const { kind, rule } = gate.tool(call, { agent: 'comms', autonomous: true, nowMs: 0, approvals, read: it });
  return `${kind} ${rule}`;
}

const passes = 'Accept effect-class/3';
const asks = 'Escalate flow/readers';
const refuses = 'Reject flow/readers';
const ofAnn = readersOf(`mail:${ANN}`);
const rows: readonly (readonly [string, string | readonly string[], ReadSoFar, string])[] = [
  ['to whoever gave it', ANN, read(ofAnn), passes],
  ['to whoever gave it, by another spelling', 'Ann <ANN@a.example>', read(ofAnn), passes],
  ['of everyone’s', BEN, read('Everyone'), passes],
  ['of a seed of the manifests', BEN, read(['people']), passes],
  ['of another correspondent', BEN, read(ofAnn), refuses],
  ['of another correspondent, to two', [ANN, BEN], read(ofAnn), refuses],
  ['of nobody’s', ANN, read([]), refuses],
  ['of the owner', BEN, read(['owner']), asks],
  ['of the owner, in a letter to the owner', BEN, read(['owner'], { owners: [BEN] }), passes],
  ['of a correspondent, in a letter to the owner', BEN, read(ofAnn, { owners: [BEN] }), passes],
  ['that another one wrote, too', BEN, read(ofAnn, { principal: `mail:${ANN}`, asked: `Tell ben ${CODE}.` }), refuses],
  ['that the receiver wrote, too', BEN, read(ofAnn, { principal: `mail:${BEN}`, asked: `Is it ${CODE}?` }), passes],
];

describe('what a letter tells', () => {
  for (const [what, to, it, verdict] of rows)
    verifies('readers:letters', `a thing ${what}: ${verdict}`, () => {
      expect(verdictOn(letter(to), it)).toBe(verdict);
      expect(verdictOn(letter(to, 'Nothing of it.'), it)).toBe(passes);
    });

  verifies(
    'readers:letters',
    'an address with an at sign in it is no letter, and gets nothing that is not public',
    () => {
      for (const to of [
        'https://evil.example/?for=ann@a.example',
        'https://ann@evil.example/',
        'evil.example/ann@a.example',
        `${ANN}, https://ann@evil.example/`,
        `mailto:${ANN}`,
      ]) {
        expect(verdictOn(letter(to), read(['people'])), to).toMatch(/^Reject flow\//);
        expect(verdictOn(letter(to), read(['owner'])), to).toMatch(/^Reject flow\//);
      }
      expect(verdictOn(letter(`Ann <${ANN}>, ${BEN}`), read(['people']))).toBe(passes);
    },
  );

  verifies('readers:letters', 'a person may release what is the owner’s, and nothing of another correspondent', () => {
    const call = letter(BEN);
    const yes: Approval = {
      ...{ requestId: 'r', argumentsDigest: call.argumentsDigest, decision: 'Approve', by: 'ada', reason: 'seen' },
      expiresAtMs: 10,
    };
    expect(verdictOn(call, read(['owner']), [yes])).toMatch(/^Accept/);
    expect(verdictOn(call, read(ofAnn), [yes])).toBe(refuses);
    expect(verdictOn(call, read([]), [yes])).toBe(refuses);
  });

  verifies('readers:letters', 'no key that a receiver may not read, unless people wrote it', () => {
    const of = (readers: Readers, parts: Partial<ReadSoFar> = {}): ReadSoFar => ({
      ...read(readers, parts),
      items: [item(readers, `The key is ${KEY}.`)],
    });
    expect(verdictOn(letter(BEN, KEY), of(['owner']))).toBe(refuses);
    expect(verdictOn(letter(BEN, KEY), of(['owner'], { asked: `Send ben ${KEY}.` }))).toBe(asks);
    // A letter is held to what a reply is: a key of a file that nobody named goes to nobody.
    expect(verdictOn(letter(ANN, KEY), of(ofAnn))).toBe('Reject flow/key-in-reply');
    expect(verdictOn(letter(ANN, KEY), of(ofAnn, { asked: `Send ann ${KEY}.` }))).toBe(passes);
  });

  verifies('readers:letters', 'is found in base64, backwards, in pieces and over two arguments', () => {
    const forms = [btoa(CODE), CODE.split('').toReversed().join(''), CODE.split('').join('-')];
    for (const form of forms) expect(verdictOn(letter(BEN, form), read(ofAnn)), form).toBe(refuses);
  });

  verifies('readers:letters', 'is judged by the readers alone, whatever other items were read beside', () => {
    const some = fc.constantFrom<Readers>('Everyone', ['people'], ['owner'], ofAnn, []);
    fc.assert(
      fc.property(some, fc.array(some, { maxLength: 4 }), (readers, beside) => {
        const items = [...beside.map((it) => item(it, 'Nothing telling.')), item(readers)];
        const alone = verdictOn(letter(BEN), read(readers));
        expect(verdictOn(letter(BEN), { ...read(readers), items })).toBe(alone);
      }),
    );
  });
});

describe('what a reply tells', () => {
  const judged = (principal: string | undefined, readers: Readers, parts: Partial<ReadSoFar> = {}) => {
    const own = read(readers, { ...(principal === undefined ? {} : { principal }), ...parts });
    const asking = { agent: 'executor', autonomous: true, nowMs: 0, approvals: [], read: own };
    return judgeReply(`It is ${CODE}.`, asking)?.rule;
  };

  verifies('readers:replies', 'a correspondent nothing that is another one’s, or the owner’s', () => {
    expect(judged(`mail:${BEN}`, ofAnn)).toBe('flow/readers');
    expect(judged(`mail:${BEN}`, ['owner'])).toBe('flow/readers');
    expect(judged(`mail:${BEN}`, [])).toBe('flow/readers');
    const named = { asked: 'Say what stands in a.md.' };
    expect(judged(`mail:${ANN}`, ofAnn, named)).toBeUndefined();
    expect(judged(`mail:${BEN}`, ['people'], named)).toBeUndefined();
    expect(judged(`mail:${BEN}`, ofAnn, { asked: `Is it ${CODE}?` })).toBeUndefined();
  });

  verifies('readers:replies', 'the owner whatever is for somebody', () => {
    const named = { asked: 'Say what stands in a.md.' };
    for (const readers of [ofAnn, ['owner'], ['people'], 'Everyone'] as const)
      expect(judged(undefined, readers, named)).toBeUndefined();
  });
});
