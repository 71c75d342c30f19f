/** The judgement of a character's norms on forecasts: for each case the verdict, then its derivation. */
import { renderPlural, renderTwoDigits } from '@retainer/mind/explain/figures';
import type { StoryLine } from '@retainer/mind/part/story';
import type { NormTrial } from './try-norms.ts';
import { MAGNITUDE_MAX } from '@retainer/mind/gate/calculus/discrepancy';
import type { NormativeVerdict } from '@retainer/mind/gate/calculus/floors';
import type { Judgement, ResolvedPair } from '@retainer/mind/gate/calculus/judge-findings';
import { renderNorm } from '@retainer/mind/gate/calculus/norm';
import { judged, plain, quiet, warning } from './story-lines.ts';

export interface Tried {
  readonly character: string;
  readonly gate: string;
  readonly agent: string | undefined;
}

export function renderNormTrial(trial: NormTrial, tried: Tried): readonly StoryLine[] {
  const { endeavour } = trial;
  return [
    plain(headline(trial, tried)),
    ...endeavour.inert.map(({ id, norm }) =>
      warning(`commitment ${id} is ${renderNorm(norm)}: it binds nobody, so the trial ignores it`),
    ),
    ...trial.judged.flatMap(({ name, judgement }) => [plain(''), ...caseLines(name, judgement, trial)]),
    plain(''),
    plain(sumLine(trial)),
    driftLine(trial),
  ];
}

function headline({ policy, endeavour }: NormTrial, { character, gate, agent }: Tried): string {
  const whose = agent === undefined ? `${gate} gate` : `${gate} gate of ${agent}`;
  const { scheme, scale, modify, reject } = policy;
  const commitments = renderPlural(endeavour.commitments.length, 'commitment');
  return `${character}, ${whose}: modify ${modify}, reject ${reject}, scale ${scale}, levels ${scheme}, ${commitments}`;
}

function caseLines(name: string, judgement: Judgement, { policy, endeavour }: NormTrial): readonly StoryLine[] {
  const { verdict, gateVerdict, decidedBy, score, harm, claims, trail, shortTrail, vetoes } = judgement;
  const conflicts = trail.filter((pair) => pair.severity !== 'NoConflict').length;
  const open = judgement.isOpen ? ', open (axiom 6.5)' : '';
  const weighed =
    score < policy.modify ? 'below modify: no pair is weighed' : `conflicts ${conflicts}/${trail.length}${open}`;
  const catastrophic = harm.isCatastrophic ? ', catastrophic' : '';
  return [
    judged(verdict, `${name}: ${verdict} (${gateVerdict}) by ${decidedBy}`),
    plain(`  discrepancy ${score.toFixed(3)}, impact ${renderTwoDigits(harm.impactRatio)}${catastrophic}; ${weighed}`),
    ...claims.flatMap((claim) => [
      plain(
        `  ${claim.feature} claims ${renderNorm(claim.norm)}${claim.normAtStake === undefined ? '' : ` against ${claim.normAtStake}`}${claim.isHarm ? ', harm' : ''}`,
      ),
      ...trail.filter((pair) => pair.claim === claim.feature).map((pair) => pairLine(pair, endeavour)),
    ]),
    ...(shortTrail.length === 0 ? [] : [plain(`  rules: ${shortTrail.join(', ')}`)]),
    ...vetoes.map((veto) => plain(`  ${veto.id}: ${veto.feature}, at least ${veto.verdict}`)),
    ...judgement.flagged.map(({ feature, magnitude, rationale }) =>
      plain(
        `  flagged: ${feature} ${magnitude} of ${MAGNITUDE_MAX[policy.scale]}${rationale === '' ? '' : `: ${rationale}`}`,
      ),
    ),
  ];
}

function pairLine(
  { commitment, severity, rule, publishedRule }: ResolvedPair,
  { commitments }: NormTrial['endeavour'],
): StoryLine {
  const norm = commitments.find(({ id }) => id === commitment)?.norm;
  const said = publishedRule === undefined ? '' : ` instead of ${publishedRule}`;
  const text = `    ${severity.padEnd(13)} ${commitment} ${norm === undefined ? '' : `(${renderNorm(norm)})`} ${rule}${said}`;
  return severity === 'NoConflict' ? quiet(text) : plain(text);
}

function sumLine({ judged: cases }: NormTrial): string {
  const count = (verdict: NormativeVerdict): string =>
    `${cases.filter((it) => it.judgement.verdict === verdict).length} ${verdict}`;
  return `${renderPlural(cases.length, 'case')}: ${count('Flourishing')}, ${count('Constrained')}, ${count('Prohibited')}`;
}

function driftLine({ drift }: NormTrial): StoryLine {
  if (drift === undefined) return quiet('no drift if the cases happened in this order');
  const { kind, rate, rateMax, verdicts, axiom } = drift;
  const what = axiom === undefined ? '' : ` of ${axiom}`;
  return warning(
    `drift: ${kind}${what}: ${renderTwoDigits(rate)} of ${renderPlural(verdicts, 'verdict')}, above ${rateMax}`,
  );
}
