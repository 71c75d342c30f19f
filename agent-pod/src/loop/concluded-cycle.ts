/** The account of a cycle for its run. Pure. */
import { askedOutside, itemsOf } from '@retainer/mind/cycle/read-texts';
import type { CycleState } from '@retainer/mind/cycle/state';
import { carriedLabel } from '@retainer/mind/gate/provenance/read-so-far';
import type { KnownTools } from '@retainer/mind/gate/tool-facts';
import type { RunEventOf } from '@retainer/mind/run/event';
import { toolCallRecords } from '@retainer/mind/run/verdict/tool-calls';

/** What a run is told of a cycle that has ended. */
export function concluded(cycle: CycleState, atMs: number, known: KnownTools): RunEventOf<'CycleConcluded'> {
  const { ended, spec } = cycle;
  return {
    kind: 'CycleConcluded',
    atMs,
    cycleId: spec.cycleId,
    outcome: ended?.outcome ?? 'Failed',
    text: ended?.text ?? '',
    ...(ended?.reason === undefined ? {} : { reason: ended.reason }),
    ...(ended?.value === undefined ? {} : { value: ended.value as never }),
    calls: [...toolCallRecords(cycle.calls, known, spec.principal)],
    rejections: [...cycle.rejections],
    usage: cycle.usage,
    costUsd: cycle.costUsd,
    isCostComplete: cycle.isCostComplete,
    modelCalls: cycle.turns,
    label: carriedLabel({ ...spec, items: itemsOf(cycle, known) }),
    ...(ended?.budget === undefined ? {} : { budget: ended.budget }),
    ...(cycle.freeSites.length === 0 ? {} : { freeSites: [...cycle.freeSites] }),
    ...askedInRun(cycle, known),
    ...foundOutOfModels(cycle),
  };
}

function askedInRun(cycle: CycleState, known: KnownTools): Pick<RunEventOf<'CycleConcluded'>, 'askedOutside'> {
  const earlier = cycle.spec.askedOutside?.length ?? 0;
  const own = askedOutside(cycle, known).slice(earlier);
  return own.length === 0 ? {} : { askedOutside: own };
}

type FoundOut = Pick<RunEventOf<'CycleConcluded'>, 'fellBack' | 'plainModel' | 'paces'>;

function foundOutOfModels({ fellBack, isPlain, spec, paces }: CycleState): FoundOut {
  return {
    ...(fellBack === undefined ? {} : { fellBack }),
    ...(isPlain ? { plainModel: spec.model } : {}),
    ...(paces.length === 0 ? {} : { paces: [...paces] }),
  };
}
