/**
 * Tells the questions, answers and verdicts of a gate: score, features with magnitude and rationale, thresholds, floors
 * and trail, findings, probes.
 *
 * Source: springdrift 2; design 5.
 */
import type { CycleEvent } from '../cycle/event.ts';
import type { GateRecord, PolicyRecord } from '../gate/chain/gate-record.ts';
import { firstLine, renderCost, renderCount, renderDuration, renderPlural, shortDigest } from './figures.ts';
import type { Telling, Tone } from '../part/story.ts';

type Of<K extends CycleEvent['kind']> = Extract<CycleEvent, { kind: K }>;

/** Most characters of a rationale or a fault in a line. */
const SENTENCE_CHARACTERS = 200;
/** Digits of a score: thresholds have two. */
const SCORE_DIGITS = 2;

const verdictTones = {
  Accept: 'Quiet',
  Modify: 'Warning',
  Escalate: 'Warning',
  Reject: 'Bad',
} as const satisfies Record<Of<'GateDecided'>['verdict'], Tone>;

export function tellVerdict(event: Of<'GateDecided'>, shortId: (id: string) => string): Telling {
  const what =
    event.tool === undefined ? event.gate.toLowerCase() : `${event.tool} ${shortId(event.callId ?? '')}`.trim();
  const isUnscored = event.record?.scorer === 'Unavailable';
  const line = `${event.verdict} ${what} by ${event.rule}${isUnscored ? ', not scored' : ''}`;
  return {
    actor: 'gate',
    tone: isUnscored && event.verdict === 'Accept' ? 'Warning' : verdictTones[event.verdict],
    text: line,
    details: [
      event.reason,
      ...(event.record === undefined ? [] : recordLines(event.record)),
      bindingsLine(event, shortId),
    ],
    ...(event.verdict === 'Accept' && !isUnscored ? {} : { live: `${line}: ${event.reason}` }),
  };
}

function bindingsLine(event: Of<'GateDecided'>, shortId: (id: string) => string): string {
  const effect = event.effectClass === undefined ? [] : [`effect class ${event.effectClass}`];
  const digest = event.argumentsDigest === undefined ? [] : [`arguments ${shortDigest(event.argumentsDigest)}`];
  const approval = event.approvalId === undefined ? [] : [`approval ${shortId(event.approvalId)}`];
  return [...effect, ...digest, ...approval, `character ${shortDigest(event.characterDigest)}`].join(', ');
}

/** The reasons of the verdict, a line each; nothing about questions that were not asked. */
function recordLines(record: GateRecord): readonly string[] {
  const { alarm, points, findings, detector, probes, scorer, exemption, scorerFault, scorings, intervention } = record;
  const found = findings.map(
    ({ rule, at = '', start, end }) => `${rule} at ${at}${at === '' ? '' : ':'}${start}-${end}`,
  );
  return [
    ...(alarm === 'None' ? [] : [`alarm ${alarm} of ${points} points: ${found.join(', ')}`]),
    ...detectorLines(detector),
    ...(probes === undefined ? [] : [`probes: hijack ${probes.hijack}, leakage ${probes.leakage}`]),
    ...(scorer === 'NotAsked' && exemption !== undefined && exemption !== 'NoFeatures'
      ? [`not scored: ${exemption}`]
      : []),
    ...(scorer === 'Unavailable' ? [`no score: ${firstLine(scorerFault ?? 'unknown', SENTENCE_CHARACTERS)}`] : []),
    ...((scorings ?? 0) > 1 ? [`the scorer was asked ${scorings} times: an answer had the wrong form`] : []),
    ...record.forecasts
      .filter(({ magnitude }) => magnitude > 0)
      .map(
        ({ feature, magnitude, rationale }) => `${feature} ${magnitude}: ${firstLine(rationale, SENTENCE_CHARACTERS)}`,
      ),
    ...record.policies.map(policyLine),
    ...(intervention === 'None' ? [] : [`intervention: ${intervention}`]),
  ];
}

function detectorLines(detector: GateRecord['detector']): readonly string[] {
  if (detector === undefined || detector.effect === 'None') return [];
  const { version, score, effect } = detector;
  return [`${effect.toLowerCase()} by the statistical layer (version ${version}, score ${score})`];
}

function policyLine(policy: PolicyRecord): string {
  const { score, modify, reject, decidedBy, shortTrail, pairs, isOpen } = policy;
  const open = isOpen === true ? '; no commitment conflicts (axiom 6.5)' : '';
  const trail = pairs === 0 ? '' : `; ${renderPlural(pairs, 'pair')} weighed: ${shortTrail.join(', ')}${open}`;
  return `${policy.policy}: ${policy.verdict} at ${figure(score)} (modify ${figure(modify)}, reject ${figure(reject)}), decided by ${decidedBy}${trail}`;
}

function figure(score: number): string {
  return score.toFixed(SCORE_DIGITS);
}

export function tellGateQuestion(
  event: Of<'GateProbeRequested'> | Of<'GateScoreRequested'>,
  shortId: (id: string) => string,
): Telling {
  const what = event.callId === undefined ? event.gate.toLowerCase() : shortId(event.callId);
  if (event.kind === 'GateProbeRequested') {
    return { actor: 'gate', tone: 'Quiet', text: `probes the ${what}`, details: [digestLine(event, shortId)] };
  }
  const { request, features, others = [] } = event;
  const all = [what, ...others.map(({ callId }) => shortId(callId))].join(', ');
  return {
    actor: 'gate',
    tone: 'Quiet',
    text: `has ${all} scored by ${request.model} for ${renderPlural(features.length, 'feature')}`,
    details: [features.join(', '), digestLine(event, shortId)],
    texts: request.messages.flatMap(({ content }) =>
      content.flatMap((block) =>
        block.type === 'Text' ? [{ title: 'what the scorer is asked', text: block.text }] : [],
      ),
    ),
  };
}

function digestLine(
  { askId, subjectDigest }: Of<'GateProbeRequested'> | Of<'GateScoreRequested'>,
  shortId: (id: string) => string,
): string {
  return `${shortId(askId)}, text or arguments ${shortDigest(subjectDigest)}`;
}

export function tellProbed(event: Of<'GateProbed'>): Telling {
  const { hijack, leakage } = event;
  const outcomes = [hijack.outcome, leakage.outcome];
  const faults = [hijack, leakage].flatMap(({ reason }) => (reason === undefined ? [] : [reason]));
  const text = `probes: hijack ${hijack.outcome}, leakage ${leakage.outcome}`;
  const isClean = outcomes.every((outcome) => outcome === 'Clean');
  return {
    actor: 'gate',
    tone: outcomes.includes('Detected') ? 'Bad' : isClean ? 'Quiet' : 'Warning',
    text,
    details: [...faults.map((fault) => firstLine(fault, SENTENCE_CHARACTERS)), costLine(event)],
    ...(isClean ? {} : { live: true }),
  };
}

type Forecasts = Of<'GateScored'>['forecasts'];

/** An answer about several calls tells of each, in the order of the question. */
export function tellScored(event: Of<'GateScored'>): Telling {
  const all = [event.forecasts, ...(event.others ?? []).map(({ forecasts }) => forecasts)];
  const isMissing = all.some(({ available }) => !available);
  const isQuiet = all.every((it) => it.available && foundIn(it.forecasts).length === 0);
  return {
    actor: 'gate',
    tone: isMissing ? 'Warning' : isQuiet ? 'Quiet' : 'Plain',
    text: all.map(scoreText).join('; '),
    details: [...all.flatMap(forecastLines), costLine(event)],
    ...(isMissing ? { live: true } : {}),
  };
}

function foundIn(forecasts: Extract<Forecasts, { available: true }>['forecasts']): typeof forecasts {
  return forecasts.filter(({ magnitude }) => magnitude > 0);
}

function scoreText(forecasts: Forecasts): string {
  if (!forecasts.available) return `no score: ${firstLine(forecasts.reason, SENTENCE_CHARACTERS)}`;
  const found = foundIn(forecasts.forecasts);
  return found.length === 0
    ? `the scorer finds none of ${renderPlural(forecasts.forecasts.length, 'feature')}`
    : `the scorer finds ${found.map(({ feature, magnitude }) => `${feature} ${magnitude}`).join(', ')}`;
}

function forecastLines(forecasts: Forecasts): readonly string[] {
  return (forecasts.available ? forecasts.forecasts : []).map(
    ({ feature, magnitude, rationale }) => `${feature} ${magnitude}: ${firstLine(rationale, SENTENCE_CHARACTERS)}`,
  );
}

/** @param event  the answer to a question of the runtime */
export function costLine(
  event: Pick<
    Of<'GateProbed' | 'GateScored' | 'TextRead'>,
    'model' | 'usage' | 'costUsd' | 'latencyMs' | 'heldFrom' | 'mended'
  >,
): string {
  const { model, usage, costUsd, latencyMs, heldFrom, mended = [] } = event;
  if (heldFrom !== undefined) return `the answer to ${heldFrom} holds: the same text under the same rules`;
  if (model === undefined || usage === undefined) return `no answer in ${renderDuration(latencyMs)}`;
  const tokens = `${renderCount(usage.inputTokens)} tokens in, ${renderCount(usage.outputTokens)} out`;
  return `${model}: ${tokens}; ${renderDuration(latencyMs)}; ${renderCost(costUsd ?? 0, costUsd !== undefined)}${mended.map((it) => `; mended: ${it}`).join('')}`;
}
