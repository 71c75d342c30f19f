/** Trials of the normative calculus: the whole table, one pair, or the norms of a character against forecasts. */
import type { CharacterSpec } from '@retainer/contract/api/character-spec';
import type { LevelSchemeName } from '@retainer/contract/api/levels';
import type { Forecasts } from './forecast-file.ts';
import { endeavourOf, type Endeavour } from '@retainer/mind/gate/calculus/bridge';
import { driftOf, type Drift } from '@retainer/mind/gate/calculus/drift';
import { floorOf } from '@retainer/mind/gate/calculus/floors';
import { judgeFindings, type Judgement, type Policy } from '@retainer/mind/gate/calculus/judge-findings';
import type { Norm } from '@retainer/mind/gate/calculus/norm';
import { PAIR_RULES, resolvePair, type PairRule } from '@retainer/mind/gate/calculus/pair-rules';

export interface PairTrial {
  readonly fired: PairRule;
  /** The tried rules, up to the one that fired. */
  readonly asked: readonly PairRule[];
  /** The floor that would decide if this were the only pair, with a discrepancy below both thresholds and no catastrophe. */
  readonly floor: ReturnType<typeof floorOf>;
}

/** @param scheme  of both norms */
export function tryPair(scheme: LevelSchemeName, user: Norm, system: Norm): PairTrial {
  const fired = resolvePair(user, system);
  const pairs = [{ severity: fired.severity, systemOrdinal: system.ordinal }];
  return {
    fired,
    asked: PAIR_RULES.slice(0, PAIR_RULES.indexOf(fired) + 1),
    floor: floorOf({ scheme, pairs, isCatastrophic: false, score: 0, modify: 1, reject: 1 }),
  };
}

export interface NormTrial {
  readonly policy: Policy;
  readonly endeavour: Endeavour;
  /** In the order of the cases. */
  readonly judged: readonly { readonly name: string; readonly judgement: Judgement }[];
  /** The cases count as a history. */
  readonly drift: Drift | undefined;
}

export function tryNorms({ spec }: CharacterSpec, forecasts: Forecasts): NormTrial {
  const { levelScheme: scheme, gatePolicies, highestEndeavour } = spec;
  const { modify, reject } = forecasts.policy;
  const policy = { scheme, scale: gatePolicies.scale, modify, reject };
  const endeavour = endeavourOf(highestEndeavour, scheme);
  const judged = forecasts.cases.map(({ name, findings }) => ({
    name,
    judgement: judgeFindings(findings, endeavour.commitments, policy),
  }));
  const drift = driftOf(judged.map(({ judgement: { verdict, shortTrail } }) => ({ verdict, axioms: shortTrail })));
  return { policy, endeavour, judged, drift };
}
