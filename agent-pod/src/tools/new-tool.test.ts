import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { invariant } from '@retainer/contract/std/invariant';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CycleUnderTest } from '../../../test/support/cycles.ts';
import { toolWorld } from '../../../test/support/tool-world.ts';
import { verifies } from '../../../test/verifies.ts';
import type { CycleEvent } from '@retainer/mind/cycle/event';
import { tellCycleEvent } from '@retainer/mind/explain/tell-cycle';
import { blockedReason } from '@retainer/mind/gate/blocked-call';
import type { CharacterPolicy } from '@retainer/mind/gate/character-policy';
import { compileGate } from '@retainer/mind/gate/compile-gate';
import { asksOutside } from '@retainer/mind/gate/provenance/flow-policies';
import { itemsRead } from '@retainer/mind/gate/provenance/read-so-far';
import { toolResultLabel } from '@retainer/mind/gate/provenance/tool-result-label';
import { renderEffect } from '@retainer/mind/gate/render-effect';
import { knowTools, type DeclaredFacts, type KnownTools } from '@retainer/mind/gate/tool-facts';
import { targetKindOf, targetOf } from '@retainer/mind/gate/tool-target';
import type { Gate } from '@retainer/mind/gate/gate';
import type { GateContext } from '@retainer/mind/gate/verdict';
import { permitOf } from '../loop/tool-calls.ts';
import { classOf } from '@retainer/mind/run/verdict/failure-class';
import { toolCallRecords } from '@retainer/mind/run/verdict/tool-calls';
import { createRegistry } from '../parts/catalog.ts';
import type { ToolDescriptor } from './tool.ts';
import { openWorkspaceFile } from './workspace-file.ts';
import { WorkspacePath } from './workspace-path-schema.ts';

const settings = { sandboxLanguages: [] };

function gateWith(known: KnownTools, policy: CharacterPolicy = {}): Gate {
  const gate = compileGate(policy, 'c'.repeat(64), known);
  invariant(gate.ok, 'compiles');
  return gate.value;
}

/** All that a file of the catalog holds. */
const countWords: ToolDescriptor<{ readonly path: string }> = {
  facts: {
    name: 'count_words',
    effectClass: 0,
    reachesOutside: false,
    runsCode: false,
    showsPeople: false,
    actsLater: false,
    writes: 'Nothing',
    output: { source: 'Workspace', trust: 'Untrusted', readers: 'Principal', name: 'path' },
    target: { kind: 'Place', parts: [{ member: 'path', as: 'Path' }] },
    verb: { verb: 'counts the words of', object: 'path' },
  },
  offer: () => ({
    description: 'Counts the words of a file.',
    input: z.strictObject({ path: WorkspacePath.describe('File inside the workspace.') }),
    touches: (input) => ({ readPaths: [input.path], writePaths: [], domains: [] }),
    async run(input, { workspaceDirectory }) {
      const opened = await openWorkspaceFile(workspaceDirectory, input.path);
      if (!opened.ok) return { isError: true, text: opened.error };
      const { handle } = opened.value;
      const words = (await handle.readFile('utf8')).split(/\s+/).length;
      await handle.close();
      return { isError: false, text: `${words} words` };
    },
  }),
};

describe('a new tool', () => {
  verifies(
    'tools:one-descriptor',
    'is offered, asked about, run, labelled and told by its descriptor alone',
    async () => {
      const registry = createRegistry(settings, [countWords]);
      const { known } = registry;
      const consult = [{ id: 'ask', description: 'Ask.', tools: ['count_words'] }];
      const gate = gateWith(known, { authority: { consult } });
      const parts = { config: { gate, catalog: registry }, nonce: 'f'.repeat(32) };
      const cycle = new CycleUnderTest({ tools: ['count_words'], autonomous: false }, parts);
      const tell = (kind: CycleEvent['kind']): string | undefined => {
        const context = { roles: new Map(), subtasks: new Map(), tools: new Map(), rules: new Map() };
        const event = cycle.events.find((it) => it.kind === kind);
        const around = { context, known, actor: 'executor', shortId: (id: string) => id } as const;
        return event && tellCycleEvent(event, around).text;
      };
      expect(cycle.events.at(-1)).toMatchObject({ request: { tools: [{ name: 'count_words' }] } });

      cycle.answer({ calls: [['count_words', { path: './a.txt' }]] });
      expect(tell('ApprovalRequested')).toBe('waits for a person: count_words counts the words of "a.txt"');
      const [asked] = cycle.events.filter((event) => event.kind === 'ApprovalRequested');
      invariant(asked !== undefined, 'a person is asked');
      cycle.decideApproval(asked.requestId, 'Approve', asked.argumentsDigest);
      const requested = cycle.events.find((event) => event.kind === 'ToolRequested');
      invariant(requested !== undefined, 'it is to be run');

      const { requestId, argumentsDigest } = asked;
      const decided = { decision: 'Approve', by: 'ann', reason: 'ok', expiresAtMs: Number.MAX_SAFE_INTEGER } as const;
      const world = toolWorld({ registry, gate, approvals: [{ requestId, argumentsDigest, ...decided }] });
      writeFileSync(path.join(world.workspace, 'a.txt'), 'one two three');
      const permit = permitOf(cycle.now, requested, known);
      const outcome = await world.executor.execute(permit, new AbortController().signal);
      expect(outcome).toMatchObject({ status: 'Ok', text: '3 words' });

      cycle.finish(requested.callId, outcome.text);
      expect(cycle.now.messages.at(-1)?.content).toMatchObject([
        { text: expect.stringMatching(/^<<data [0-9a-f]{16}>> From the workspace \(\.\/a\.txt\)/) },
      ]);
      expect(toolCallRecords(cycle.now.calls, known)).toMatchObject([{ status: 'Ok', target: 'a.txt' }]);
    },
  );
});

/** Of a tool of which everything is harmless. */
const harmless = {
  name: 'probe',
  effectClass: 0,
  reachesOutside: false,
  runsCode: false,
  reportsFailures: true,
  writes: 'Nothing',
  showsPeople: false,
  actsLater: false,
  output: { source: 'Tool', trust: 'Trusted', readers: 'Everyone' },
  target: { kind: 'Command', parts: [] },
  verb: { verb: 'does nothing' },
  arguments: { to: 'Target' },
} as const satisfies DeclaredFacts;

const asks: GateContext = { agent: 'executor', autonomous: false, nowMs: 0, approvals: [] };
const page = { recordId: 'p', label: { source: { kind: 'Web' }, trust: 'Untrusted', readers: 'Everyone' }, text: '' };
const afterPage = { ...asks, read: { items: [page], addresses: [], instructions: [] } } as GateContext;

function ruleOf(known: KnownTools, policy: CharacterPolicy, context: GateContext): string {
  const { effectClass, name: tool } = known.factsOf('probe');
  const call = { tool, effectClass, readPaths: ['free/a'], writePaths: [], domains: [] };
  return gateWith(known, policy).tool({ ...call, argumentsText: '{}', argumentsDigest: 'd' }, context).rule;
}

const never = [{ id: 'keep', description: 'Keep.', tools: ['pro*'], paths: ['src/**'] }];
const free = { gatePolicies: { allowLists: { paths: ['free/**'] } } };
const failed = {
  callId: 'c',
  input: '{}',
  status: 'Ok',
  output: 'not found',
  durationMs: 0,
  files: [] as never[],
} as const;
const ownFile = [
  { callId: 'w', tool: 'write_file', input: { path: 'a' }, isOk: true, text: '' },
  { callId: 'p', tool: 'probe', input: {}, isOk: true, text: '' },
  { callId: 'r', tool: 'read_file', input: { path: 'a' }, isOk: true, text: '' },
];

type Field = Exclude<keyof DeclaredFacts, 'name'>;

/** What each field decides: where it is not declared, and where it is declared to be harmless. */
const rows: readonly (readonly [
  Field,
  decides: string,
  (known: KnownTools) => unknown,
  worst: unknown,
  mild: unknown,
])[] = [
  ['effectClass', 'who approves', (it) => ruleOf(it, {}, asks), 'effect-class/4', 'effect-class/0'],
  ['reachesOutside', 'later plans', (it) => it.factsOf('probe').reachesOutside, true, false],
  ['reachesOutside', 'where data may flow', (it) => it.factsOf('probe').effectClass, 2, 0],
  ['runsCode', 'mounts', (it) => gateWith(it, { authority: { never } }).readOnlyPaths, ['src'], []],
  [
    'reportsFailures',
    'whose fault it was',
    (it) => classOf(undefined, '', [{ ...failed, tool: 'probe' }], it),
    'Logical',
    'Environmental',
  ],
  ['writes', 'the allow-list of paths', (it) => ruleOf(it, free, asks), 'allow-lists/paths', 'effect-class/0'],
  ['writes', 'which files are own', (it) => itemsRead(ownFile, [], it).at(-1)?.label.trust, 'Untrusted', 'Trusted'],
  ['showsPeople', 'who may see it', (it) => ruleOf(it, {}, afterPage), 'inside/serving', 'effect-class/0'],
  [
    'actsLater',
    'who approves what acts later',
    (it) => ruleOf(it, {}, afterPage),
    'taint/effect-class',
    'effect-class/0',
  ],
  [
    'output',
    'what is believed',
    (it) => toolResultLabel(it.factsOf('probe'), {}),
    { source: { kind: 'Tool', name: 'probe' }, trust: 'Untrusted', readers: ['owner'] },
    { source: { kind: 'Tool' }, trust: 'Trusted', readers: 'Everyone' },
  ],
  ['target', 'what redeems', (it) => targetKindOf(it.factsOf('probe')), 'Place', 'Command'],
  ['target', 'what is blocked', (it) => targetOf(it.factsOf('probe'), { path: 'a' }), 'a', undefined],
  [
    'verb',
    'what a person reads',
    (it) => renderEffect(it.factsOf('probe'), { n: 1 }).line,
    'calls probe, n 1',
    'does nothing, n 1',
  ],
  [
    'arguments',
    'whether it asks at an address',
    (it) => asksOutside({ ...it.factsOf('probe'), effectClass: 2 }),
    true,
    false,
  ],
];

const files = ['write_file', 'read_file'].map((name) => createRegistry(settings).known.factsOf(name));

describe('what a descriptor does not declare', () => {
  for (const [field, decides, observe, worst, mild] of rows)
    verifies('tools:undeclared-is-worst', `counts as the worst case: ${field}, for ${decides}`, () => {
      const { [field]: _undeclared, ...others } = harmless;
      expect(observe(knowTools([...files, others]))).toEqual(worst);
      expect(observe(knowTools([...files, harmless]))).toEqual(mild);
    });

  verifies('tools:undeclared-is-worst', 'has a row for every field', () => {
    const { name: _name, ...fields } = harmless;
    expect(new Set(rows.map(([field]) => field))).toEqual(new Set(Object.keys(fields)));
  });

  verifies('tools:undeclared-is-worst', 'is as much as is known of a tool that is gone', () => {
    const known = knowTools([{ name: 'probe' }]);
    expect(known.factsOf('gone')).toEqual({ ...known.factsOf('probe'), name: 'gone' });
    expect(known.factsOf('constructor').effectClass).toBe(4);
    expect(blockedReason({ tools: [], targets: ['a'] }, known.factsOf('gone'), { path: './a' })).toContain('"a"');
  });

  it.each([
    ['names a file', { writePaths: ['a'] }, true],
    ['names a fact', { factKey: 'a' }, true],
    ['names neither', {}, false],
  ])('replaces what a call names: %s', async (_, touched, expected) => {
    const touches = () => ({ readPaths: [], writePaths: [], domains: [], ...touched });
    const run = () => Promise.resolve({ isError: false, text: '' });
    const offered = { description: '', input: z.strictObject({}), touches, run };
    const registry = createRegistry(settings, [{ facts: { name: 'probe' }, offer: () => offered }]);
    expect(await toolWorld({ registry }).executor.replaces('probe', {})).toBe(expected);
  });
});
