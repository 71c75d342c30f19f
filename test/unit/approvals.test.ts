/**
 * Approvals mean something: what a person said yes to is what runs, once, while it is fresh.
 *
 * Source: reliability-security 7.
 */
import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { ruleCheck } from '@retainer/contract/manifest/cel-rules';
import { canonicalJson, type Json } from '@retainer/contract/std/canonical-json';
import { renderEffect } from '@retainer/agent-pod/review/tell-records';
import { describe, expect, it } from 'vitest';
import {
  argumentsOf,
  mutated,
  mutations,
  reordered,
  type Arguments,
  type Forged,
} from '../support/approval-attacks.ts';
import { ApprovalRun, type Plan } from '../support/approval-runs.ts';
import { facts } from '../support/cycles.ts';
import { Seeded } from '../support/seeded.ts';
import { bySize } from '../support/test-size.ts';
import { verifies } from '../verifies.ts';

/** Approvals that are attacked, by way; together 1,000, and fewer while somebody waits. Source: reliability-security 7. */
const CASES = bySize({
  quick: { mutated: 40, replayed: 16, late: 16, crossTask: 16, crossUser: 150 },
  check: { mutated: 400, replayed: 150, late: 150, crossTask: 150, crossUser: 150 },
});

/** The default of a request's time and of an approval's use, and a little more. */
const PAST_MS = 600_001;

const seeds = (count: number, from: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => from + index);

const digestOf = (input: Json): string => facts('send', input).argumentsDigest;

/** Asks ahead for `wanted`, then makes `made`, one call in each turn. */
const asksAhead =
  (wanted: Arguments, made: readonly Forged[], pauseMs = 0): Plan =>
  (turn, clock) => {
    if (turn === 1) return [['request_approval', { tool: 'send', input: wanted, reason: 'It is what you wanted.' }]];
    if (turn === 2) clock.advance(pauseMs);
    const call = made[turn - 2];
    return call === undefined ? [] : [['send', call]];
  };

/** Answers the first request, and nothing after it: its time runs out. @returns what ran, and what timed out */
async function playAnswered(
  plan: Plan,
): Promise<{ readonly ran: readonly Json[]; readonly unanswered: number; readonly timedOut: number }> {
  const run = await new ApprovalRun(plan).begin();
  const [first] = run.asked();
  if (first !== undefined) await run.decide(first.requestId, first.argumentsDigest);
  const unanswered = run.asked().length - 1;
  if (unanswered > 0) await run.wait(PAST_MS);
  await run.end();
  return { ran: run.ran('send'), unanswered, timedOut: run.rejections('approval/timed-out') };
}

describe('approvals that are attacked', () => {
  verifies(
    'approvals:mean-something',
    'on other arguments run nothing, and whatever nobody answered is denied',
    async () => {
      let executed = 0;
      let unanswered = 0;
      let timedOut = 0;
      for (const seed of seeds(CASES.mutated, 1)) {
        const original = argumentsOf(seed);
        const mutation = mutations[seed % mutations.length] ?? 'Byte';
        const other = mutated(original, mutation, seed);
        expect(canonicalJson(other), mutation).not.toBe(canonicalJson(original));
        const played = await playAnswered(asksAhead(original, [other]));
        executed += played.ran.length;
        unanswered += played.unanswered;
        timedOut += played.timedOut;
      }
      expect({ executed, unanswered, timedOut }).toEqual({
        executed: 0,
        unanswered: CASES.mutated,
        timedOut: CASES.mutated,
      });
    },
    240_000,
  );

  it('run what was approved, in whatever order its members stand', async () => {
    for (const seed of seeds(20, 5000)) {
      const original = argumentsOf(seed);
      const { ran } = await playAnswered(asksAhead(original, [reordered(original)]));
      expect(ran.map(canonicalJson)).toEqual([canonicalJson(original)]);
    }
  });

  verifies(
    'approvals:mean-something',
    'replayed run nothing a second time',
    async () => {
      let executed = 0;
      for (const seed of seeds(CASES.replayed, 10_000)) {
        const original = argumentsOf(seed);
        const other = argumentsOf(seed + 1_000_000);
        const plan: Plan = (turn) => (turn > 3 ? [] : [['send', turn === 2 ? other : original]]);
        const run = await new ApprovalRun(plan).begin();
        const [first] = run.asked();
        if (first === undefined) throw new Error('nothing was asked');
        await run.decide(first.requestId, first.argumentsDigest);
        for (const pending of run.asked()) {
          await run.decide(first.requestId, first.argumentsDigest);
          await run.decide(first.requestId, pending.argumentsDigest);
        }
        await run.wait(PAST_MS);
        await run.decide(first.requestId, first.argumentsDigest);
        await run.wait(PAST_MS);
        executed += run.ran('send').length - 1;
        await run.end();
      }
      expect(executed).toBe(0);
    },
    240_000,
  );

  verifies(
    'approvals:mean-something',
    'late run nothing: neither a decision after the time nor an approval that grew old',
    async () => {
      let executed = 0;
      let timedOut = 0;
      const half = CASES.late / 2;
      for (const seed of seeds(half, 20_000)) {
        const original = argumentsOf(seed);
        const run = await new ApprovalRun((turn) => (turn === 1 ? [['send', original]] : [])).begin();
        const [first] = run.asked();
        if (first === undefined) throw new Error('nothing was asked');
        await run.wait(PAST_MS + new Seeded(seed).below(1000));
        await run.decide(first.requestId, first.argumentsDigest);
        executed += run.ran('send').length;
        timedOut += run.rejections('approval/timed-out');
        await run.end();
      }
      for (const seed of seeds(half, 21_000)) {
        const original = argumentsOf(seed);
        executed += (await playAnswered(asksAhead(original, [original], PAST_MS))).ran.length;
      }
      expect({ executed, timedOut }).toEqual({ executed: 0, timedOut: half });
    },
    240_000,
  );

  verifies(
    'approvals:mean-something',
    'of one Task run nothing of another, whatever id or digest they name',
    async () => {
      let executed = 0;
      for (const seed of seeds(CASES.crossTask, 30_000)) {
        const original = argumentsOf(seed);
        const plan: Plan = (turn) => (turn === 1 ? [['send', original]] : []);
        const [own, other] = [await new ApprovalRun(plan, 'own').begin(), await new ApprovalRun(plan, 'other').begin()];
        const [asked] = other.asked();
        if (asked === undefined) throw new Error('nothing was asked');
        await own.decide(asked.requestId, asked.argumentsDigest);
        await own.decide(asked.requestId.replace('other', 'own'), digestOf(argumentsOf(seed + 1)));
        executed += own.ran('send').length;
        await Promise.all([own.end(), other.end()]);
      }
      expect(executed).toBe(0);
    },
    240_000,
  );

  verifies('approvals:mean-something', 'in the name of another person are refused at the door', () => {
    const validates = approvalPolicy();
    const people = ['ann', 'bob', 'system:serviceaccount:weather:meteorologist', 'Ann', 'ann ', '\u0430nn'];
    let admitted = 0;
    for (const seed of seeds(CASES.crossUser, 40_000)) {
      const random = new Seeded(seed);
      const username = people[random.below(people.length)] ?? 'ann';
      const others = people.filter((it) => it !== username);
      const by = others[random.below(others.length)] ?? 'bob';
      if (validates(by, username)) admitted += 1;
      expect(validates(username, username)).toBe(true);
    }
    expect(admitted).toBe(0);
  });
});

/** The admission policy as it is installed: whether an approval by this name passes in a request of that one. */
function approvalPolicy(): (by: string, username: string) => boolean {
  const manifest = readFileSync(new URL('../../manifests/base/retainer.yaml', import.meta.url), 'utf8');
  const policies = parseAllDocuments(manifest).map((it) => it.toJS() as Policy | null);
  const policy = policies.find(
    (it) => it?.kind === 'ValidatingAdmissionPolicy' && it.metadata.name.endsWith('approvals'),
  );
  const rule = policy?.spec.validations.find((it) => it.expression.includes('entry.by == request.userInfo.username'));
  if (rule === undefined) throw new Error('the policy does not compare spec.approvals[].by with the requester');
  const ofSelf = rule.expression.replaceAll('variables.', 'self.').replaceAll('request.userInfo.', 'self.');
  const text = { type: 'string' } as const;
  const check = ruleCheck({
    type: 'object',
    properties: {
      added: { type: 'array', items: { type: 'object', properties: { by: text } } },
      username: text,
    },
    'x-kubernetes-validations': [{ rule: ofSelf, message: 'by is not the requester' }],
  });
  return (by, username) => check({ added: [{ by }], username }).length === 0;
}

interface Policy {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: { readonly validations: readonly { readonly expression: string }[] };
}

describe('asking without end', () => {
  verifies('approvals:breaker', 'stops the Task after the third refusal', async () => {
    const plan: Plan = (turn) => (turn <= 6 ? [['send', { turn }]] : []);
    const run = await new ApprovalRun(plan).begin();
    for (let answered = 0; answered < run.asked().length && answered < 10; answered += 1) {
      const asked = run.asked()[answered];
      if (asked !== undefined) await run.decide(asked.requestId, asked.argumentsDigest, 'Deny');
    }
    const { concluded } = await run.runtime.closed('r');
    expect(run.asked()).toHaveLength(3);
    expect(concluded).toMatchObject({ outcome: 'Refused', refusal: { rule: 'approval/too-many-refusals' } });
    expect(concluded?.reasons.join()).toMatch(/People refused 3 times .* stopped/);
    await run.end();
  });

  verifies('approvals:breaker', 'stops the Task at the request after the last that it may make', async () => {
    const plan: Plan = (turn) => (turn <= 6 ? [['send', { turn }]] : []);
    const run = await new ApprovalRun(plan).begin({ requestsMax: 2, refusalsMax: 3 });
    for (let answered = 0; answered < run.asked().length && answered < 10; answered += 1) {
      const asked = run.asked()[answered];
      if (asked !== undefined) await run.decide(asked.requestId, asked.argumentsDigest);
    }
    const { concluded } = await run.runtime.closed('r');
    expect(run.ran('send')).toEqual([{ turn: 1 }, { turn: 2 }]);
    expect(concluded).toMatchObject({ outcome: 'Refused', refusal: { rule: 'approval/too-many-requests' } });
    await run.end();
  });
});

/**
 * A person who knows what the Task is for and reads the effect alone: approves what stays inside that purpose. It is a stand-in
 * for a study with people, and measures what the rendering makes visible, not how people read.
 */
describe('a person who reads the effect', () => {
  const purpose = (line: string, wanted: Arguments): boolean =>
    line === renderEffect('send', wanted).line && !line.includes('CAREFUL') && !line.includes(String.raw`\u{`);

  verifies('approvals:planted-bad', 'accepts no planted request and every good one', () => {
    const outcome = { good: 0, bad: 0, acceptedGood: 0, acceptedBad: 0 };
    for (const seed of seeds(500, 50_000)) {
      const wanted = argumentsOf(seed);
      const mutation = mutations[seed % mutations.length] ?? 'Byte';
      const isPlanted = seed % 5 === 0;
      const asked = isPlanted ? mutated(wanted, mutation, seed) : reordered(wanted);
      const isAccepted = purpose(renderEffect('send', asked).line, wanted);
      outcome[isPlanted ? 'bad' : 'good'] += 1;
      if (isAccepted) outcome[isPlanted ? 'acceptedBad' : 'acceptedGood'] += 1;
    }
    process.stdout.write(
      `planted bad requests accepted: ${outcome.acceptedBad} of ${outcome.bad}; good ones: ${outcome.acceptedGood} of ${outcome.good}\n`,
    );
    expect(outcome).toEqual({ good: 400, bad: 100, acceptedGood: 400, acceptedBad: 0 });
  });
});
