import { describe, expect } from 'vitest';
import { WorkRecord } from '../../../../../test/support/work-life.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { APPROVAL_KINDS, DEFAULT_APPROVALS, MODES, type ApprovalKind, type Mode } from './approvals.ts';
import { addPhase, advancePhase, editEndeavour, scheduleSession } from './decide-endeavour.ts';
import { kindsOf, whyChangeAsks, whyMilder, type EndeavourChange } from './endeavour-asks.ts';

const PHASE = { name: 'Print', description: 'x', estimatedSessions: 0 };
const RECEIVER = { name: 'Ann', channel: 'Mail', address: 'ann@a.example', role: 'Owner' } as const;

/** A change for each kind of approval. */
const changes: Readonly<Record<ApprovalKind, EndeavourChange>> = {
  PhaseTransition: { kind: 'AdvancePhase' },
  BudgetIncrease: { kind: 'Schedule', session: { maxTokens: 100_001 } },
  ExternalCommunication: { kind: 'Edit', edit: { stakeholders: [RECEIVER] } },
  Replan: { kind: 'AddPhase', phase: PHASE },
  Completion: { kind: 'Edit', edit: { status: 'Complete' } },
};

/** An endeavour that has begun. */
function begun(kind: ApprovalKind, mode: Mode): { readonly record: WorkRecord; readonly id: string } {
  const record = new WorkRecord();
  const auto = Object.fromEntries(APPROVAL_KINDS.map((it) => [it, 'Auto'])) as typeof DEFAULT_APPROVALS;
  const id = record.endeavour({ approvals: { ...auto, [kind]: mode } });
  record.do(advancePhase(record.making(), { endeavourId: id }));
  return { record, id };
}

function make({ record, id }: ReturnType<typeof begun>, change: EndeavourChange): unknown {
  const making = record.making();
  switch (change.kind) {
    case 'AdvancePhase':
      return record.do(advancePhase(making, { endeavourId: id }));
    case 'AddPhase':
      return record.do(addPhase(making, id, PHASE));
    case 'Schedule': {
      const at = { endeavourId: id, atMs: record.atMs + 600_000, focus: 'x' };
      return record.do(scheduleSession(making, { ...at, ...change.session }));
    }
    case 'Edit':
      return record.do(editEndeavour(making, id, change.edit));
  }
}

describe('an approval of an endeavour', () => {
  for (const kind of APPROVAL_KINDS)
    for (const mode of MODES)
      verifies('work:approvals', `of ${kind} that is ${mode}`, () => {
        const started = begun(kind, mode);
        const { record, id } = started;
        const asks = whyChangeAsks(record.state, id, changes[kind]);
        expect(asks === undefined).toBe(mode !== 'Require');
        if (mode === 'Require') expect(asks).toContain(`"A survey" asks a person first`);
        if (kind === 'Completion') record.write('PhaseAdvanced', { endeavourId: id, phaseId: 'p1', to: 'Complete' });
        if (kind === 'Completion')
          record.write('PhaseAdvanced', { endeavourId: id, phaseId: 'p2', to: 'Skipped', reason: 'x' });
        expect(make(started, changes[kind])).toBeUndefined();
        const { tells } = (record.records.at(-1)?.payload ?? {}) as { readonly tells?: readonly string[] };
        expect(tells).toEqual(mode === 'Notify' ? [kind] : undefined);
      });

  verifies('work:approvals', 'has the shipped modes where nobody names others', () => {
    expect(DEFAULT_APPROVALS).toEqual({
      PhaseTransition: 'Auto',
      BudgetIncrease: 'Require',
      ExternalCommunication: 'Auto',
      Replan: 'Notify',
      Completion: 'Require',
    });
    const record = new WorkRecord();
    expect(record.state.endeavours.get(record.endeavour())?.approvals).toEqual(DEFAULT_APPROVALS);
  });

  const beyond: readonly (readonly [string, EndeavourChange, readonly ApprovalKind[]])[] = [
    ['a session within the plan', { kind: 'Schedule', session: {} }, []],
    ['a session of more tokens', { kind: 'Schedule', session: { maxTokens: 100_001 } }, ['BudgetIncrease']],
    ['wider limits', { kind: 'Edit', edit: { sessionLimits: { maxTokens: 100_001 } } }, ['BudgetIncrease']],
    ['narrower limits', { kind: 'Edit', edit: { sessionLimits: { maxTokens: 1_000 } } }, []],
    ['a phase with sessions', { kind: 'AddPhase', phase: { estimatedSessions: 1 } }, ['Replan', 'BudgetIncrease']],
    ['another goal', { kind: 'Edit', edit: { goal: 'Another.' } }, ['Replan']],
    ['another title', { kind: 'Edit', edit: { title: 'Another' } }, []],
    ['nobody to tell', { kind: 'Edit', edit: { stakeholders: [] } }, []],
  ];
  for (const [what, change, kinds] of beyond)
    verifies('work:approvals', `falls under ${kinds.join(' and ') || 'none'} for ${what}`, () => {
      const { record, id } = begun('Replan', 'Auto');
      const endeavour = record.state.endeavours.get(id);
      expect(endeavour && kindsOf(endeavour, change)).toEqual(kinds);
    });

  verifies('work:approvals', 'counts sessions: one more than the phases plan is an increase', () => {
    const { record, id } = begun('BudgetIncrease', 'Require');
    for (let at = 0; at < 4; at += 1) {
      expect(whyChangeAsks(record.state, id, { kind: 'Schedule', session: {} })).toBeUndefined();
      make({ record, id }, { kind: 'Schedule', session: {} });
    }
    expect(whyChangeAsks(record.state, id, { kind: 'Schedule', session: {} })).toContain('BudgetIncrease');
  });

  verifies('work:approvals', 'is made milder by a person alone, of a new endeavour and of an old one', () => {
    const milder = { ...DEFAULT_APPROVALS, Completion: 'Notify' } as const;
    const stricter = { ...DEFAULT_APPROVALS, Replan: 'Require' } as const;
    expect(whyMilder(undefined, milder)).toContain('milder (Completion)');
    expect(whyMilder(undefined, stricter)).toBeUndefined();
    const record = new WorkRecord();
    const id = record.endeavour({ approvals: stricter });
    const edit = (approvals: typeof DEFAULT_APPROVALS) =>
      whyChangeAsks(record.state, id, { kind: 'Edit', edit: { approvals } });
    expect(edit(DEFAULT_APPROVALS)).toContain('milder (Replan)');
    expect(edit(stricter)).toBeUndefined();
  });
});
