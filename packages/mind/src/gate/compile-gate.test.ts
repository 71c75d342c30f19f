import { canonicalJson } from '@retainer/contract/std/canonical-json';
import { invariant } from '@retainer/contract/std/invariant';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CharacterSpec } from '@retainer/contract/api/character-spec';
import { decidedOf, inquiryOf } from '../../../../test/support/gate-inquiries.ts';
import { verifies } from '../../../../test/verifies.ts';
import { argumentsDigest } from './arguments-digest.ts';
import type { AuthorityEntry, CharacterPolicy, TextRule } from './character-policy.ts';
import { compileGate } from './compile-gate.ts';
import type { Approval, CallFacts, GateContext, Verdict } from './verdict.ts';
import { testTools } from '../../../../test/support/known-tools.ts';
import type { Gate } from './gate.ts';

const NOW_MS = 1_000_000;

function gateOf(policy: CharacterPolicy): Gate {
  const gate = compileGate(policy, 'digest', testTools);
  invariant(gate.ok, `compiles: ${JSON.stringify(gate)}`);
  return gate.value;
}

function callOf(parts: Partial<CallFacts> & { readonly input?: unknown } = {}): CallFacts {
  const { input, ...facts } = parts;
  const tool = parts.tool ?? 'write_file';
  const argumentsText = canonicalJson(input ?? { path: 'a.txt' });
  return {
    tool,
    effectClass: 1,
    readPaths: [],
    writePaths: [],
    domains: [],
    argumentsText,
    argumentsDigest: argumentsDigest(tool, argumentsText),
    ...facts,
  };
}

function contextOf(parts: Partial<GateContext> = {}): GateContext {
  return { agent: 'executor', autonomous: true, nowMs: NOW_MS, approvals: [], ...parts };
}

function textVerdict(gate: Gate, name: 'Input' | 'Output', text: string, autonomous = true): Verdict {
  return decidedOf(gate, inquiryOf({ gate: name, text }, { autonomous })).verdict;
}

function approvalOf(call: CallFacts, parts: Partial<Approval> = {}): Approval {
  return {
    requestId: 'r1',
    argumentsDigest: call.argumentsDigest,
    decision: 'Approve',
    by: 'ada',
    reason: 'seen',
    expiresAtMs: NOW_MS + 1,
    ...parts,
  };
}

function entry(parts: Partial<AuthorityEntry>): AuthorityEntry {
  return { id: 'e', description: 'Words of the author.', ...parts };
}

function rule(parts: Partial<TextRule>): TextRule {
  return { id: 'r', pattern: 'secret-pattern', verdict: 'Reject', reason: 'Not that.', ...parts };
}

const never = (parts: Partial<AuthorityEntry>): CharacterPolicy => ({ authority: { never: [entry(parts)] } });

describe('authority.never', () => {
  it.each<[string, Partial<AuthorityEntry>, Partial<CallFacts> & { input?: unknown }, boolean]>([
    ['a tool by name', { tools: ['bash'] }, { tool: 'bash' }, true],
    ['another tool', { tools: ['bash'] }, { tool: 'run_code' }, false],
    ['every tool', { tools: ['*'] }, { tool: 'anything' }, true],
    ['a family of tools', { tools: ['memory_*'] }, { tool: 'memory_write' }, true],
    ['its effect class', { effectClass: 2 }, { effectClass: 2 }, true],
    ['a class above', { effectClass: 2 }, { effectClass: 4 }, true],
    ['a class below', { effectClass: 2 }, { effectClass: 1 }, false],
    ['a path', { paths: ['data/**'] }, { writePaths: ['data/a'] }, true],
    ['one of several paths', { paths: ['data'] }, { writePaths: ['x', 'data/a'] }, true],
    ['a path that is only read', { paths: ['data'] }, { readPaths: ['data/a'] }, false],
    ['no path at all', { paths: ['data'] }, {}, false],
    ['a host', { domains: ['example.org'] }, { domains: ['example.org'] }, true],
    ['a host below, not named', { domains: ['example.org'] }, { domains: ['www.example.org'] }, false],
    ['every host below', { domains: ['*.example.org'] }, { domains: ['www.example.org'] }, true],
    ['not the host itself', { domains: ['*.example.org'] }, { domains: ['example.org'] }, false],
    ['not a lookalike', { domains: ['*.example.org'] }, { domains: ['badexample.org'] }, false],
    ['the arguments', { pattern: 'rm\\s+-rf' }, { input: { script: 'rm  -rf /' } }, true],
    ['the arguments over a line break', { pattern: 'rm\\s+-rf' }, { input: { script: 'rm\n-rf /' } }, true],
    ['the arguments in full width', { pattern: 'rm -rf' }, { input: { script: '\uff52\uff4d -rf /' } }, true],
    ['the arguments with invisible characters', { pattern: 'rm -rf' }, { input: { script: 'r\u200bm -rf /' } }, true],
    ['other arguments', { pattern: 'rm\\s+-rf' }, { input: { script: 'ls' } }, false],
    ['all conditions at once', { tools: ['bash'], pattern: 'x' }, { tool: 'bash', input: { script: 'x' } }, true],
    ['only one of two conditions', { tools: ['bash'], pattern: 'x' }, { tool: 'bash', input: { script: 'y' } }, false],
  ])('reads %s', (_name, parts, call, refused) => {
    const verdict = gateOf(never(parts)).tool(callOf(call), contextOf());
    expect(verdict.kind).toBe(refused ? 'Reject' : 'Accept');
    if (refused)
      expect(verdict).toMatchObject({
        rule: 'authority.never/e',
        reason: expect.stringContaining('Words of the author.'),
      });
  });

  verifies('gate:never-wins', 'nothing lifts it: no grant, no approval, no class', () => {
    const call = callOf({ effectClass: 3 });
    const gate = gateOf({ authority: { never: [entry({ tools: ['*'] })], alone: [entry({ id: 'a', tools: ['*'] })] } });
    expect(gate.tool(call, contextOf({ approvals: [approvalOf(call)] })).kind).toBe('Reject');
  });
});

describe('the effect classes', () => {
  const alone: CharacterPolicy = {
    authority: { alone: [entry({ tools: ['send'], domains: ['a.example', 'b.example'] })] },
  };

  it.each([0, 1, 2] as const)('class %s needs nobody', (effectClass) => {
    expect(gateOf({}).tool(callOf({ effectClass }), contextOf())).toMatchObject({
      kind: 'Accept',
      rule: `effect-class/${effectClass}`,
    });
  });

  verifies('gate:class-3-needs-grant', 'writing outside is asked about unless the character grants all of it', () => {
    const send = (domains: readonly string[]): Verdict =>
      gateOf(alone).tool(callOf({ tool: 'send', effectClass: 3, domains }), contextOf());
    expect(gateOf({}).tool(callOf({ effectClass: 3 }), contextOf())).toMatchObject({
      kind: 'Escalate',
      rule: 'effect-class/3',
    });
    expect(send(['a.example'])).toMatchObject({ kind: 'Accept', rule: 'effect-class/3' });
    expect(send(['a.example', 'b.example']).kind).toBe('Accept');
    expect(send(['a.example', 'c.example']).kind).toBe('Escalate');
    expect(send([]).kind).toBe('Escalate');
  });

  it('reads only what is really in the arguments when it grants', () => {
    const gate = gateOf({ authority: { alone: [entry({ pattern: 'ping' })] } });
    expect(gate.tool(callOf({ effectClass: 3, input: { text: 'p\u200bing' } }), contextOf()).kind).toBe('Escalate');
  });

  verifies('gate:class-4-needs-approval', 'what cannot be undone needs a person, whatever the character grants', () => {
    const call = callOf({ effectClass: 4 });
    const gate = gateOf({ authority: { alone: [entry({ tools: ['*'] })] } });
    expect(gate.tool(call, contextOf())).toMatchObject({ kind: 'Escalate', rule: 'effect-class/4' });
    const approved = gate.tool(call, contextOf({ approvals: [approvalOf(call)] }));
    expect(approved).toMatchObject({
      kind: 'Accept',
      rule: 'approval/granted',
      reason: expect.stringContaining('ada'),
    });
  });
});

describe('approvals', () => {
  const consult: CharacterPolicy = { authority: { consult: [entry({ tools: ['write_file'] })] } };
  const call = callOf({ input: { content: 'hello', path: 'a.txt' } });

  it.each<[string, Partial<Approval>, Verdict['kind'], string]>([
    ['given', {}, 'Accept', 'approval/granted'],
    ['denied', { decision: 'Deny' }, 'Reject', 'approval/denied'],
    ['late by nothing', { expiresAtMs: NOW_MS }, 'Reject', 'approval/expired'],
    ['for other arguments', { argumentsDigest: 'f'.repeat(64) }, 'Escalate', 'authority.consult/e'],
  ])('%s', (_name, parts, kind, name) => {
    const verdict = gateOf(consult).tool(call, contextOf({ approvals: [approvalOf(call, parts)] }));
    expect(verdict).toMatchObject({ kind, rule: name });
  });

  it('counts a newer one over an expired one, and a denial over everything', () => {
    const expired = approvalOf(call, { expiresAtMs: 0, by: 'bob' });
    const gate = gateOf(consult);
    const mixed = gate.tool(call, contextOf({ approvals: [expired, approvalOf(call)] }));
    expect(mixed).toMatchObject({ kind: 'Accept', reason: expect.stringContaining('ada') });
    const denied = approvalOf(call, { decision: 'Deny' });
    expect(gate.tool(call, contextOf({ approvals: [approvalOf(call), denied] })).kind).toBe('Reject');
  });

  verifies('gate:approval-binds-arguments', 'an approval holds for exactly one spelling of the arguments', () => {
    const input = fc.record({ path: fc.string(), content: fc.string(), n: fc.integer() });
    fc.assert(
      fc.property(input, input, (approvedInput, other) => {
        fc.pre(canonicalJson(approvedInput) !== canonicalJson(other));
        const approval = approvalOf(callOf({ input: approvedInput }));
        const verdict = gateOf(consult).tool(callOf({ input: other }), contextOf({ approvals: [approval] }));
        expect(verdict.kind).toBe('Escalate');
      }),
      { numRuns: 150 },
    );
  });

  it('does not carry over to another tool with the same arguments', () => {
    const gate = gateOf({ authority: { consult: [entry({ tools: ['*'] })] } });
    const other = callOf({ tool: 'bash', input: { content: 'hello', path: 'a.txt' } });
    expect(gate.tool(other, contextOf({ approvals: [approvalOf(call)] })).kind).toBe('Escalate');
  });
});

describe('tool rules', () => {
  it.each([
    [['Escalate', 'Reject'] as const, 'Reject'],
    [['Reject', 'Escalate'] as const, 'Reject'],
    [['Escalate'] as const, 'Escalate'],
  ])('%j end in %s, in whatever order they stand', (verdicts, expected) => {
    const rules = verdicts.map((verdict, index) => rule({ id: `r${index}`, pattern: 'x', verdict }));
    const verdict = gateOf({ gatePolicies: { tool: { rules } } }).tool(callOf({ input: 'x' }), contextOf());
    expect(verdict).toMatchObject({ kind: expected, reason: 'Not that.' });
  });

  it('holds rules of one specialist to him, beside those for everybody', () => {
    const gate = gateOf({
      gatePolicies: {
        tool: { rules: [rule({ id: 'all', pattern: 'x' })] },
        agentOverrides: [{ agent: 'Comms', tool: { rules: [rule({ id: 'own', pattern: 'y' })] } }],
      },
    });
    expect(gate.tool(callOf({ input: 'y' }), contextOf()).kind).toBe('Accept');
    expect(gate.tool(callOf({ input: 'y' }), contextOf({ agent: 'comms' }))).toMatchObject({
      kind: 'Reject',
      rule: 'tool-rules/Comms/own',
    });
    expect(gate.tool(callOf({ input: 'x' }), contextOf({ agent: 'comms' }))).toMatchObject({
      kind: 'Reject',
      rule: 'tool-rules/all',
    });
  });
});

describe('the allow-lists', () => {
  const gate = gateOf({ gatePolicies: { allowLists: { paths: ['out/**'], domains: ['a.example'] } } });

  it.each<[string, Partial<CallFacts>, string]>([
    ['inside', { writePaths: ['out/a'], domains: ['a.example'] }, 'effect-class/1'],
    ['a read outside', { readPaths: ['in/a'] }, 'allow-lists/paths'],
    ['a write outside', { writePaths: ['out/a', 'in/a'] }, 'allow-lists/paths'],
    ['a host outside', { domains: ['b.example'] }, 'allow-lists/domains'],
    ['a script, which could touch anything', { tool: 'bash' }, 'allow-lists/paths'],
    ['nothing at all', {}, 'effect-class/1'],
  ])('%s', (_name, call, name) => {
    expect(gate.tool(callOf(call), contextOf()).rule).toBe(name);
  });
});

describe('adding a policy', () => {
  const conditions = fc.oneof(
    fc.constantFrom(['*'], ['bash'], ['write_file', 'send']).map((tools) => ({ tools })),
    fc.constantFrom(0, 1, 2, 3, 4).map((effectClass) => ({ effectClass })),
    fc.constantFrom(['data/**'], ['**'], ['out']).map((paths) => ({ paths })),
    fc.constantFrom('a', 'b|c').map((pattern) => ({ pattern })),
  );
  const entries = fc
    .uniqueArray(fc.record({ id: fc.stringMatching(/^[a-z]{1,6}$/), parts: conditions }), {
      selector: (it) => it.id,
      maxLength: 3,
    })
    .map((list) => list.map(({ id, parts }) => entry({ id, ...parts })));
  const rules = fc
    .uniqueArray(
      fc.record({
        id: fc.stringMatching(/^[a-z]{1,6}$/),
        pattern: fc.constantFrom('a', 'b'),
        verdict: fc.constantFrom('Reject' as const, 'Escalate' as const),
      }),
      { selector: (it) => it.id, maxLength: 3 },
    )
    .map((list) => list.map(rule));
  const policies = fc.record({ never: entries, consult: entries, alone: entries, rules });
  const calls = fc
    .record({
      tool: fc.constantFrom('bash', 'write_file', 'send'),
      effectClass: fc.constantFrom(0 as const, 1 as const, 2 as const, 3 as const, 4 as const),
      writePaths: fc.constantFrom([], ['data/x'], ['out/y', 'z']),
      input: fc.constantFrom('a', 'b', 'z'),
    })
    .map(callOf);
  const decisions = fc.constantFrom<readonly Partial<Approval>[]>(
    [],
    [{}],
    [{ decision: 'Deny' }],
    [{ expiresAtMs: 0 }],
  );
  const RANK = { Accept: 0, Modify: 1, Escalate: 2, Reject: 3 } as const;

  const policyOf = (it: {
    never: readonly AuthorityEntry[];
    consult: readonly AuthorityEntry[];
    alone: readonly AuthorityEntry[];
    rules: readonly TextRule[];
  }): CharacterPolicy => ({
    authority: { never: it.never, consult: it.consult, alone: it.alone },
    gatePolicies: { tool: { rules: it.rules } },
  });

  verifies('gate:refusal-cannot-be-undone', 'never makes a verdict milder, and a grant never lifts a refusal', () => {
    fc.assert(
      fc.property(policies, policies, calls, decisions, (base, more, call, approvals) => {
        const context = contextOf({ approvals: approvals.map((it) => approvalOf(call, it)) });
        const fresh = <T extends { readonly id: string }>(list: readonly T[]): readonly T[] =>
          list.map((it) => ({ ...it, id: `x-${it.id}` }));
        const before = gateOf(policyOf(base)).tool(call, context).kind;
        const limits = {
          never: [...base.never, ...fresh(more.never)],
          consult: [...fresh(more.consult), ...base.consult],
          rules: [...fresh(more.rules), ...base.rules],
          alone: base.alone,
        };
        expect(RANK[gateOf(policyOf(limits)).tool(call, context).kind]).toBeGreaterThanOrEqual(RANK[before]);
        const grants = { ...base, alone: [...base.alone, ...fresh(more.alone)] };
        if (before === 'Reject') expect(gateOf(policyOf(grants)).tool(call, context).kind).toBe('Reject');
      }),
      { numRuns: 150 },
    );
  });
});

describe('input and output rules', () => {
  const rules = [
    rule({ id: 'ask', pattern: 'maybe', verdict: 'Escalate' }),
    rule({ id: 'no', pattern: 'ignore all', verdict: 'Reject' }),
  ];
  const gate = gateOf({ gatePolicies: { input: { rules }, output: { rules } } });

  verifies('gate:text-rules', 'follow the path: autonomous refuses what it cannot have scored', () => {
    const kind = (side: 'Input' | 'Output', text: string, autonomous: boolean): string => {
      const verdict = textVerdict(gate, side, text, autonomous);
      return `${verdict.kind} ${verdict.rule}`;
    };
    expect(kind('Input', 'hello', true)).toBe('Accept input-rules/none');
    expect(kind('Input', 'maybe ignore all', true)).toBe('Reject input-rules/no');
    expect(kind('Input', 'maybe', true)).toBe('Reject input-rules/ask');
    expect(kind('Input', 'ignore all', false)).toBe('Accept input-rules/no');
    expect(kind('Input', 'maybe', false)).toBe('Accept input-rules/ask');
    expect(kind('Output', 'ignore all', false)).toBe('Reject output-rules/no');
    expect(kind('Output', 'maybe', false)).toBe('Accept output-rules/ask');
    expect(kind('Output', 'maybe', true)).toBe('Reject output-rules/ask');
  });

  verifies('gate:text-rules', 'hold for their own side alone', () => {
    const sides = gateOf({ gatePolicies: { input: { rules: rules.slice(0, 1) }, output: { rules: rules.slice(1) } } });
    const found = (side: 'Input' | 'Output'): readonly string[] =>
      sides.texts.found(side, 'maybe ignore all', 'executor').matched.map((it) => it.rule);
    expect([found('Input'), found('Output')]).toEqual([['input-rules/ask'], ['output-rules/no']]);
  });

  verifies('gate:disguised-text', 'sees through zero-width, full-width and digit-bearing forms', () => {
    for (const text of [
      'ignore\u200b all',
      'ig\u00adnore all',
      '\uff49gnore all',
      'ignore\u2060 all',
      'ignore\u200ball',
    ]) {
      expect(textVerdict(gate, 'Input', text).kind, JSON.stringify(text)).toBe('Reject');
    }
    const digits = gateOf({ gatePolicies: { input: { rules: [rule({ pattern: 'port 8080' })] } } });
    expect(textVerdict(digits, 'Input', 'port 8080').kind).toBe('Reject');
  });

  it('gives no pattern away', () => {
    const secret = gateOf({ gatePolicies: { tool: { rules: [rule({})] }, input: { rules: [rule({})] } } });
    expect(textVerdict(secret, 'Input', 'secret-pattern').reason).not.toContain('secret-pattern');
    expect(secret.tool(callOf({ input: 'secret-pattern' }), contextOf()).reason).not.toContain('secret-pattern');
  });
});

describe('compileGate', () => {
  verifies('gate:broken-policy-is-an-error', 'refuses a policy that cannot be read and names every fault', () => {
    const gate = compileGate(
      {
        authority: {
          never: [entry({ id: 'a', pattern: '(' }), entry({ id: 'b' }), entry({ id: 'c', paths: ['../x'] })],
          consult: [entry({ id: 'd', tools: ['read_file'], paths: ['data'] }), entry({ id: 'e', tools: [] })],
          alone: [entry({ id: 'f', tools: ['*'] }), entry({ id: 'f', tools: ['*'] })],
        },
        gatePolicies: {
          input: { rules: [rule({ id: 'g', pattern: '(?=x)' })] },
          tool: { rules: [rule({ id: 'h', pattern: 'x'.repeat(600) })] },
          output: { rules: [rule({ id: 'i', pattern: '' })] },
          agentOverrides: [{ agent: 'Comms', tool: { rules: [rule({ id: 'j', pattern: '\\1' })] } }],
          allowLists: { paths: ['/abs'] },
        },
      },
      'digest',
      testTools,
    );
    expect(gate.ok).toBe(false);
    if (gate.ok) return;
    const named = gate.error.map((error) => error.split(':')[0]).toSorted();
    expect(named).toEqual([
      'authority.alone/f',
      'authority.consult/d',
      'authority.consult/e',
      'authority.never/a',
      'authority.never/b',
      'authority.never/c',
      'gatePolicies.agentOverrides/Comms.rules/j',
      'gatePolicies.allowLists.paths',
      'gatePolicies.input.rules/g',
      'gatePolicies.output.rules/i',
      'gatePolicies.tool.rules/h',
    ]);
  });

  it('answers a hostile text in time linear in its length', () => {
    const gate = gateOf({ gatePolicies: { input: { rules: [rule({ pattern: '^(a+)+$' })] } } });
    expect(gate.texts.found('Input', `${'a'.repeat(50_000)}!`, 'executor').matched).toEqual([]);
  });

  verifies('gate:scripts-cannot-write-guarded-paths', 'names the paths that scripts may not write', () => {
    const gate = gateOf({
      authority: {
        never: [
          entry({ id: 'a', paths: ['data/source/**', 'ledger.csv'] }),
          entry({ id: 'b', paths: ['only-files'], tools: ['write_file'] }),
          entry({ id: 'c', paths: ['far'], effectClass: 3 }),
          entry({ id: 'd', paths: ['code/*.js'], tools: ['run_*'] }),
        ],
        consult: [entry({ id: 'e', paths: ['published/**'] })],
        alone: [entry({ id: 'f', paths: ['free'] })],
      },
    });
    expect(gate.readOnlyPaths).toEqual(['code', 'data/source', 'ledger.csv', 'published']);
    expect(gate.characterDigest).toBe('digest');
  });

  it.each([
    [
      ['a/b', 'a', 'ab', 'a'],
      ['a', 'ab'],
    ],
    [['a/*.csv', '**/*.md'], ['.']],
  ])('names of the guarded paths %j only the outermost', (paths, expected) => {
    expect(gateOf(never({ paths })).readOnlyPaths).toEqual(expected);
  });

  it('takes the spec of a CharacterSpec as it comes from the API', () => {
    const spec = CharacterSpec.shape.spec.parse({
      persona: 'A careful clerk.',
      highestEndeavour: [{ id: 'truth', description: 'Tell the truth.', level: 'EthicalMoral', operator: 'Required' }],
      authority: { never: [{ id: 'sources', description: 'Sources stay as they are.', paths: ['data/**'] }] },
    });
    const verdict = gateOf(spec).tool(callOf({ writePaths: ['data/a.csv'] }), contextOf());
    expect(verdict).toMatchObject({ kind: 'Reject', rule: 'authority.never/sources' });
  });
});
