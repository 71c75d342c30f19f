/**
 * Which skills were shown in which runs, and how those ended: a fold over the records of an agent, in their order.
 *
 * I1  A skill counts as shown where its title stands in the texts that a cycle's model was given, not where it was configured.
 * I2  Outcomes stand beside it. Nothing here says that a skill caused one.
 *
 * Source: springdrift 12 (metrics of skills; no causal effect is measured there either), 13.
 */
import type { Skill } from '@retainer/contract/api/skill';
import type { JournalRecord } from '@retainer/contract/wire/record';
import type { CycleEvent } from '../../cycle/event.ts';
import type { RunEvent } from '../../run/event.ts';
import { plusOne, type Tally } from './day-summary.ts';
import { fromTable, type EventTable } from '../../part/event-table.ts';
import { eventOf } from '../../part/projection.ts';

/** Stores that the fold reads. */
export const SKILL_STORES = ['agent', 'run', 'cycle'] as const;

export interface ShownRun {
  readonly runId: string;
  readonly task: string;
  /** As runs end; `Running` while it is under way. */
  readonly outcome: string;
  /** Cycles whose model was shown it. */
  readonly cycles: number;
  /** Its whole page, in all of them; otherwise in some of them its title alone. */
  readonly inFull: boolean;
}

export interface ShownSkill {
  readonly name: string;
  readonly version: string;
  /** In the order of their beginning. */
  readonly runs: readonly ShownRun[];
  readonly outcomes: Tally;
  /** Of the runs that were not shown it. */
  readonly others: Tally;
}

export interface SkillsShown {
  /** Takes the records of {@link SKILL_STORES}, merged by their order. */
  readonly take: (record: JournalRecord) => void;
  /** In the order in which they were configured. */
  readonly skills: () => readonly ShownSkill[];
}

type Configured = Pick<Skill, 'metadata' | 'spec'>;
type Showing = Omit<ShownRun, 'task' | 'outcome'>;

interface Known {
  /** By title. */
  readonly configured: Map<string, Configured>;
  readonly runs: Map<string, { readonly task: string; readonly outcome: string }>;
  /** By title, then by run. */
  readonly shown: Map<string, Map<string, Showing>>;
}

export function skillsShown(): SkillsShown {
  const known: Known = { configured: new Map(), runs: new Map(), shown: new Map() };
  return {
    take: (record) => {
      const { store, kind, runId = '', payload } = record;
      if (store === 'agent' && kind === 'Configured') learnSkills(known, payload);
      if (store === 'run') fromTable(ofRun, eventOf<RunEvent>(record), known, runId);
      if (store === 'cycle') fromTable(ofCycle, eventOf<CycleEvent>(record), known, runId);
    },
    skills: () => [...known.configured].map(([title, skill]) => shownSkill(known, title, skill)),
  };
}

function learnSkills({ configured }: Known, payload: JournalRecord['payload']): void {
  const { skills = [] } = payload as unknown as { readonly skills?: readonly Configured[] };
  for (const skill of skills) configured.set(titleOf(skill), skill);
}

/** As the system text begins a skill. */
function titleOf({ metadata, spec }: Configured): string {
  return `Skill ${metadata.name} ${spec.version}: ${spec.description}`;
}

const ofRun: EventTable<RunEvent, [known: Known, runId: string], void> = {
  RunAdmitted: ({ spec: { task } }, { runs }, runId) =>
    void runs.set(runId, { task: `${task.namespace}/${task.name}`, outcome: 'Running' }),
  RunConcluded: ({ outcome }, { runs }, runId) => {
    const run = runs.get(runId);
    if (run !== undefined) runs.set(runId, { ...run, outcome });
  },
};

const ofCycle: EventTable<CycleEvent, [known: Known, runId: string], void> = {
  CycleStarted: ({ spec: { system } }, { configured, shown }, runId) => {
    const text = `\n${system.map((it) => it.text).join('\n')}`;
    for (const [title, { spec }] of configured) {
      if (!text.includes(`\n${title}`)) continue;
      const runs = shown.get(title) ?? new Map<string, Showing>();
      const before = runs.get(runId) ?? { runId, cycles: 0, inFull: true };
      const inFull = before.inFull && text.includes(spec.body?.trim() ?? '');
      shown.set(title, runs.set(runId, { runId, cycles: before.cycles + 1, inFull }));
    }
  },
};

function shownSkill({ runs, shown }: Known, title: string, { metadata, spec }: Configured): ShownSkill {
  const showings = shown.get(title) ?? new Map<string, Showing>();
  const own = [...showings.values()].map((it): ShownRun => {
    const { task = '', outcome = 'Running' } = runs.get(it.runId) ?? {};
    return { ...it, task, outcome };
  });
  const others = [...runs].filter(([runId]) => !showings.has(runId)).map(([, { outcome }]) => outcome);
  return {
    name: metadata.name ?? '',
    version: spec.version,
    runs: own,
    outcomes: own.map(({ outcome }) => outcome).reduce<Tally>(plusOne, {}),
    others: others.reduce<Tally>(plusOne, {}),
  };
}
